package driver

import (
	"context"
	"fmt"

	"locktorture/locks"
)

// Among returns the opener that opens the lock that a request names.
func Among(openers map[string]Opener) Opener {
	return func(ctx context.Context, o Open, clock *locks.SkewedClock) (locks.Locker, error) {
		open, ok := openers[o.Backend]
		if !ok {
			return nil, fmt.Errorf("this program has no lock called %q", o.Backend)
		}
		l, err := open(ctx, o, clock)
		if err != nil {
			return nil, err
		}
		return locks.Within(o.Prefix, l), nil
	}
}

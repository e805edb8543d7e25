package attempt

import (
	"context"
	"errors"
	"time"

	"locktorture/locks"
)

// An Insister sends requests that may be sent again, because a second one
// changes nothing that the first has not.
type Insister struct {
	Pause time.Duration // after a request that did not get through
	Clock locks.Clock
	// Final tells whether an error is an answer that ends the call.
	Final func(error) bool
	// Open tells whether a request that ended in an error that is not final may still be
	// carried out.
	Open func(error) bool
}

// Insist sends a request until it is answered or ctx is done. again tells that a try was not
// answered: it may still be carried out, after whatever follows.
func Insist[T any](ctx context.Context, i *Insister, request func(context.Context) (T, error)) (value T, again bool, err error) {
	for {
		value, err = request(ctx)
		if err == nil || i.Final(err) {
			return value, again, err
		}
		again = again || i.Open(err)
		if ctx.Err() != nil {
			return value, again, errors.Join(err, ctx.Err())
		}
		Wait(ctx.Done(), i.Clock, i.Pause)
	}
}

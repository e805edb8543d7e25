package server

import (
	"context"
	"errors"
	"fmt"
)

// Start starts n servers: those of this machine, or embedded ones where there are none and the
// lock does without what those cannot do. why says which and for what reason.
func Start(ctx context.Context, n int, pushes bool) (all []Server, why string, err error) {
	why = "redis-server of this machine, whose clock stands still"
	for range n {
		s, err := StartStepped(ctx)
		if err != nil {
			closed := CloseAll(all)
			if !errors.Is(err, ErrNoRedis) || closed != nil {
				return nil, "", errors.Join(err, closed)
			}
			return embeddedFor(n, pushes, err)
		}
		all = append(all, s)
	}
	return all, why, nil
}

// embeddedFor are embedded servers, because the others failed for a reason.
func embeddedFor(n int, pushes bool, reason error) (all []Server, why string, err error) {
	if pushes {
		return nil, "", fmt.Errorf("%w; and the lock needs a server that pushes, which embedded ones cannot do in a simulation", reason)
	}
	for range n {
		all = append(all, NewEmbedded())
	}
	return all, fmt.Sprintf("embedded: %v", reason), nil
}

// CloseAll closes servers.
func CloseAll(all []Server) error {
	var errs []error
	for _, s := range all {
		errs = append(errs, s.Close())
	}
	return errors.Join(errs...)
}

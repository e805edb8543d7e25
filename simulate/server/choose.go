package server

import (
	"context"
	"errors"
	"fmt"
)

// Start starts n servers: redis-server if it is installed, or embedded ones if it is not and the
// lock does not need the features that they lack. why describes the choice and its reason.
func Start(ctx context.Context, n int, pushes bool) (all []Server, why string, err error) {
	why = "redis-server of this machine, run with a clock that stands still"
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

// embeddedFor returns n embedded servers. reason is the error because of which redis-server
// cannot be used. Locks with pub/sub cannot use embedded servers.
func embeddedFor(n int, pushes bool, reason error) (all []Server, why string, err error) {
	if pushes {
		return nil, "", fmt.Errorf("%w; and the lock needs pub/sub, which embedded servers do not support in a simulation", reason)
	}
	for range n {
		all = append(all, NewEmbedded())
	}
	return all, fmt.Sprintf("embedded: %v", reason), nil
}

// CloseAll closes the servers and returns all errors.
func CloseAll(all []Server) error {
	var errs []error
	for _, s := range all {
		errs = append(errs, s.Close())
	}
	return errors.Join(errs...)
}

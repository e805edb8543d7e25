package redis

import (
	"context"
	"fmt"

	"locktorture/locks"
)

// An attempt makes the lease that will be granted, and the request that grants it.
type attempt[L locks.Lease] func(name string) (L, try)

// acquire spins until the request of an attempt is granted.
func acquire[L locks.Lease](ctx context.Context, s *server, a attempt[L], name string) (locks.Lease, error) {
	l, t := a(name)
	if err := s.spin(ctx, t); err != nil {
		return nil, err
	}
	return l, nil
}

// tryAcquire makes the request of an attempt once.
func tryAcquire[L locks.Lease](ctx context.Context, s *server, a attempt[L], name string) (locks.Lease, error) {
	l, t := a(name)
	if err := s.once(ctx, t); err != nil {
		return nil, err
	}
	return l, nil
}

// halfway is the error of a request that followed one which had taken the
// lock: however certain it is by itself, the call as a whole is not.
func halfway(what string, err error) error {
	return fmt.Errorf("%s, with the lock half taken: %v", what, err)
}

// drop deletes the key of a lock, whosever it is.
func (s *server) drop(ctx context.Context, name string) error {
	rctx, cancel := s.request(ctx)
	defer cancel()
	n, err := s.rdb.Del(rctx, lockKey(name)).Result()
	if err != nil {
		return fmt.Errorf("release: %w", err)
	}
	if n == 0 {
		return locks.ErrNotHeld
	}
	return nil
}

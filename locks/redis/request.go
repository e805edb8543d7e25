package redis

import (
	"context"
	"fmt"

	goredis "github.com/redis/go-redis/v9"

	"locktorture/locks"
)

// change runs a script that answers 1 if the caller's value was present and 0 if not.
func (s *server) change(ctx context.Context, what string, script *goredis.Script, name string, args ...any) error {
	rctx, cancel := s.terms.Request(ctx)
	defer cancel()
	n, err := script.Run(rctx, s.rdb, []string{lockKey(name)}, args...).Int64()
	return ended(what, n, err)
}

// drop deletes the key of a lock, whoever owns it.
func (s *server) drop(ctx context.Context, name string) error {
	rctx, cancel := s.terms.Request(ctx)
	defer cancel()
	n, err := s.rdb.Del(rctx, lockKey(name)).Result()
	return ended("release", n, err)
}

// ended converts the result of a request that found n keys: none means that the lease had ended.
func ended(what string, n int64, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if n == 0 {
		return locks.ErrNotHeld
	}
	return nil
}

package mysql

import (
	"context"
	"errors"

	goredis "github.com/redis/go-redis/v9"

	"locktorture/locks/attempt"
	"locktorture/locks/redisconn"
)

// redisKey returns the key of a lock, which is the same as in the other locks on Redis.
func redisKey(name string) string { return "lock:" + name }

// setKey sets the key if it does not exist.
func (d *RedisMySQL) setKey(ctx context.Context, name, owner string) (bool, error) {
	err := d.rdb.Do(ctx, "SET", redisKey(name), owner, "NX", "PX", d.cfg.TTL.Milliseconds()).Err()
	if errors.Is(err, goredis.Nil) {
		return false, nil
	}
	var reply goredis.Error
	if errors.As(err, &reply) || redisconn.Unsent(err) {
		return false, &attempt.NotSentError{Err: err} // a SET that answers an error has set nothing
	}
	return err == nil, err
}

// unsetKey deletes the key if it still has this owner's value, and reports whether it did.
func (d *RedisMySQL) unsetKey(ctx context.Context, name, owner string) (bool, error) {
	n, err := d.release.Run(ctx, d.rdb, []string{redisKey(name)}, owner).Int64()
	return n == 1, err
}

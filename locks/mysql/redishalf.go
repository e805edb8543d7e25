package mysql

import (
	"context"
	"errors"

	goredis "github.com/redis/go-redis/v9"

	"locktorture/locks/attempt"
	"locktorture/locks/redisconn"
)

// redisKey returns the key of a lock, as in the other locks on Redis.
func redisKey(name string) string { return "lock:" + name }

// setKey sets the key if there is none.
func (d *RedisMySQL) setKey(ctx context.Context, name, owner string) (bool, error) {
	err := d.rdb.Do(ctx, "SET", redisKey(name), owner, "NX", "PX", d.cfg.TTL.Milliseconds()).Err()
	if errors.Is(err, goredis.Nil) {
		return false, nil
	}
	var reply goredis.Error
	if errors.As(err, &reply) || redisconn.Unsent(err) {
		return false, &attempt.NotSentError{Err: err} // an error is what a SET answers that has set nothing
	}
	return err == nil, err
}

// unsetKey deletes the key if it still has this owner's value; false: it had not.
func (d *RedisMySQL) unsetKey(ctx context.Context, name, owner string) (bool, error) {
	n, err := d.release.Run(ctx, d.rdb, []string{redisKey(name)}, owner).Int64()
	return n == 1, err
}

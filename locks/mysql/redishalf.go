package mysql

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net"
	"strings"

	goredis "github.com/redis/go-redis/v9"
)

//go:embed release.lua
var releaseKey string

// redisKey is the key of a lock, as in the other locks on Redis.
func redisKey(name string) string { return "lock:" + name }

// dialRedis marks errors of the dialer as certain.
func (s *server) dialRedis(ctx context.Context, network, addr string) (net.Conn, error) {
	c, err := s.cfg.Dial(ctx, network, addr)
	if err != nil {
		return nil, &notSentError{err}
	}
	return c, nil
}

// setKey sets the key if there is none.
func (d *RedisMySQL) setKey(ctx context.Context, name, owner string) (bool, error) {
	err := d.rdb.Do(ctx, "SET", redisKey(name), owner, "NX", "PX", d.cfg.TTL.Milliseconds()).Err()
	if errors.Is(err, goredis.Nil) {
		return false, nil
	}
	var reply goredis.Error
	if errors.As(err, &reply) || errors.Is(err, goredis.ErrPoolTimeout) {
		return false, &notSentError{err} // an error is what a SET answers that has set nothing
	}
	return err == nil, err
}

// unsetKey deletes the key if it still has this owner's value; false: it had not.
func (d *RedisMySQL) unsetKey(ctx context.Context, name, owner string) (bool, error) {
	n, err := d.release.Run(ctx, d.rdb, []string{redisKey(name)}, owner).Int64()
	return n == 1, err
}

// unknown hides what would make an error certain: a request that was not sent
// after another that was carried out.
func unknown(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("half of the lock: %s", strings.TrimSpace(err.Error()))
}

package mysql

import (
	"context"
	"errors"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"locktorture/internal/rediscmd"
	"locktorture/locks"
	"locktorture/locks/attempt"
	"locktorture/locks/redisconn"
)

// A RedisMySQL is a lock in Redis (SET NX PX with a random value) that counts only once a row in
// MySQL has confirmed it. The release frees the row, then the key. Waiters spin.
//
// Source: the "double write" of systems that moved from one to the other, or that trust neither.
// Clock: each server's own clock ends its half; the client computes its validity as the start of
// the first request plus the TTL.
//
// It does not promise that both halves agree: a client that dies, or gets no answer, between the
// two writes leaves one half until its TTL is over, and nobody can acquire the lock meanwhile. Nor
// does it promise that a holder stops when its TTL is over, nor any order among waiters. Its token
// is the version of the row.
type RedisMySQL struct {
	*server
	rdb     rediscmd.Client
	release *goredis.Script
}

var (
	_ locks.Locker = (*RedisMySQL)(nil)
	_ locks.Trier  = (*RedisMySQL)(nil)
)

// NewRedisMySQL returns a client of the Redis at redisAddr and the database of
// cfg; it connects when it is first used.
func NewRedisMySQL(redisAddr string, cfg Config) *RedisMySQL {
	s := newServer(cfg)
	return &RedisMySQL{
		server: s, release: redisconn.ReleaseScript(),
		rdb: redisconn.Open(redisAddr, s.cfg.Timeout, nil, s.cfg.Dial),
	}
}

// RedisMySQLTraits returns the lock's traits.
func RedisMySQLTraits() locks.Traits {
	return locks.Traits{
		Wait: "spin", Token: true, Bounded: true, Validity: "TTL",
		LeastTTL: 100 * time.Millisecond, Model: "fenced",
		// The second half may have been written up to a timeout after the first.
		FreeWithin: func(ttl time.Duration) time.Duration { return ttl + time.Second + retryMax },
		Clock:      "the wall clocks of the Redis and the database server",
	}
}

// Acquire spins until the key is set and the row has confirmed it.
func (d *RedisMySQL) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	return attempt.Acquire(ctx, d.terms, d.attempt, name)
}

// TryAcquire sends both writes once.
func (d *RedisMySQL) TryAcquire(ctx context.Context, name string) (locks.Lease, error) {
	return attempt.TryAcquire(ctx, d.terms, d.attempt, name)
}

// attempt returns a lease and the requests for it. If the row refuses, the key is deleted again, so
// that the halves agree.
func (d *RedisMySQL) attempt(name string) (*redisMySQLLease, attempt.Try) {
	l := &redisMySQLLease{double: d}
	l.Name, l.Value = name, d.owner()
	return l, func(ctx context.Context) (bool, error) {
		start := d.cfg.Clock.Now()
		if ok, err := d.setKey(ctx, name, l.Value); !ok || err != nil {
			return false, err
		}
		ok, token, err := d.confirm(ctx, name, l.Value)
		if ok {
			l.End, l.Number = start.Add(d.cfg.TTL), token
			return true, nil
		}
		// Half of the lock is written. If it cannot be deleted, the outcome is in doubt.
		back, cancel := context.WithTimeout(context.WithoutCancel(ctx), d.cfg.Timeout)
		defer cancel()
		if _, uerr := d.unsetKey(back, name, l.Value); uerr != nil {
			return false, attempt.Halfway("take back the key", errors.Join(uerr, err))
		}
		return false, err
	}
}

// confirmTake inserts the row, or changes its owner if it is free. MySQL executes assignments
// from left to right: once owner is the new one, the row was free.
const confirmTake = "INSERT INTO %s (name, owner, expires, version)" +
	" VALUES (?, ?, UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND, 1) ON DUPLICATE KEY UPDATE" +
	" version = IF(owner IS NULL OR expires <= UTC_TIMESTAMP(6), LAST_INSERT_ID(version + 1), version)," +
	" owner = IF(owner IS NULL OR expires <= UTC_TIMESTAMP(6), VALUES(owner), owner)," +
	" expires = IF(owner = VALUES(owner), VALUES(expires), expires)"

// confirm writes the row if it is free, and returns its version.
func (d *RedisMySQL) confirm(ctx context.Context, name, owner string) (bool, uint64, error) {
	r, err := d.exec(ctx, confirmTable(), confirmTake, name, owner, d.cfg.TTL.Microseconds())
	if err != nil || r.rows == 0 {
		return false, 0, err
	}
	return true, max(r.id, 1), nil // an inserted row has version 1
}

// Close drops the connections.
func (d *RedisMySQL) Close() error { return errors.Join(d.server.Close(), d.rdb.Close()) }

// A redisMySQLLease holds the key and the row of its owner. The row's version is its token.
// Its validity ends one TTL after the start of the first request.
type redisMySQLLease struct {
	attempt.FencedGrant
	double *RedisMySQL
}

var (
	_ locks.Bounded = (*redisMySQLLease)(nil)
	_ locks.Fenced  = (*redisMySQLLease)(nil)
	_ locks.Owned   = (*redisMySQLLease)(nil)
)

// Release frees the row, then the key. If either no longer had this owner's value, the lease had
// ended; the other half is freed in any case.
func (l *redisMySQLLease) Release(ctx context.Context) error {
	d := l.double
	err := d.change(ctx, "release the row", confirmTable(), "UPDATE %s SET owner = NULL, expires = NULL"+
		" WHERE name = ? AND owner = ? AND expires > UTC_TIMESTAMP(6)", l.Name, l.Value)
	if err != nil && !errors.Is(err, locks.ErrNotHeld) {
		return err // the key stays until its TTL is over, so that the halves do not disagree
	}
	rctx, cancel := d.terms.Request(ctx)
	defer cancel()
	gone, kerr := d.unsetKey(rctx, l.Name, l.Value)
	if kerr != nil {
		return attempt.Halfway("release the key", kerr)
	}
	if err != nil || !gone {
		return locks.ErrNotHeld
	}
	return nil
}

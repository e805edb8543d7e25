package redis

import (
	"context"

	"locktorture/locks"
	"locktorture/locks/attempt"
)

// A SetNXExpire is SETNX and then, as a second command, the expiry. A release
// compares and deletes in one script.
//
// Source: the first answer to SETNX without an expiry, in countless articles. It is the reason
// why Redis 2.6.12 gave NX and PX to the SET command. Clock: the server's wall clock ends the
// lease; the client computes its validity as the start of the first request plus the TTL.
//
// It does not promise that the lock ever becomes free if its client dies, or is cut off, between
// the two commands: the key then has no expiry. Otherwise it promises the same as Set.
type SetNXExpire struct{ *Set }

var (
	_ locks.Locker = (*SetNXExpire)(nil)
	_ locks.Trier  = (*SetNXExpire)(nil)
)

// NewSetNXExpire returns a client; it connects when it is first used.
func NewSetNXExpire(cfg Config) *SetNXExpire { return &SetNXExpire{NewSet(cfg)} }

// SetNXExpireTraits returns the lock's traits.
func SetNXExpireTraits() locks.Traits { return SetTraits() }

// Acquire spins until the key is set.
func (s *SetNXExpire) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	return attempt.Acquire(ctx, s.terms, s.attempt, name)
}

// TryAcquire sends one SETNX.
func (s *SetNXExpire) TryAcquire(ctx context.Context, name string) (locks.Lease, error) {
	return attempt.TryAcquire(ctx, s.terms, s.attempt, name)
}

// attempt returns a lease and the function that tries once to take it with two commands. If the
// client dies between them, the key has no expiry.
func (s *SetNXExpire) attempt(name string) (*setLease, attempt.Try) {
	l := &setLease{set: s.Set, Grant: attempt.Grant{Name: name, Value: s.owner()}}
	return l, func(ctx context.Context) (bool, error) {
		start := s.cfg.Clock.Now()
		n, err := s.rdb.Do(ctx, "SETNX", lockKey(name), l.Value).Int64()
		if err != nil || n == 0 {
			return false, err
		}
		if err := s.rdb.PExpire(ctx, lockKey(name), s.cfg.TTL).Err(); err != nil {
			return false, attempt.Halfway("set the expiry", err)
		}
		l.End = start.Add(s.cfg.TTL)
		return true, nil
	}
}

package redis

import (
	"context"
	"errors"
	"strconv"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"locktorture/locks"
	"locktorture/locks/attempt"
)

// A GetSet is SETNX with the end of the lease as the value, by the client's clock in ns since 1970.
// A client that finds this time in the past takes the lock over with GETSET, and holds it if the
// value that GETSET returned was past as well. A release is a plain DEL.
//
// Source: the SETNX command's page, "Handling deadlocks", in the commonly copied form without a
// check of the time before the DEL. Clock: the wall clocks of all clients; the server's clock plays
// no part.
//
// It promises nothing to clients whose clocks differ: a client that is ahead takes over a valid
// lease. A client that loses a takeover has overwritten the holder's time, and a holder that
// overran deletes the next holder's key. The key stores a time and no owner.
type GetSet struct{ *server }

var (
	_ locks.Locker = (*GetSet)(nil)
	_ locks.Trier  = (*GetSet)(nil)
)

// NewGetSet returns a client; it connects when it is first used.
func NewGetSet(cfg Config) *GetSet { return &GetSet{newServer(cfg)} }

// GetSetTraits returns the lock's traits.
func GetSetTraits() locks.Traits {
	t := SetTraits()
	t.Clock = "the clients' own wall clocks"
	return t
}

// Acquire spins until the key is set or taken over.
func (g *GetSet) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	return attempt.Acquire(ctx, g.terms, g.attempt, name)
}

// TryAcquire tries to set the key, and then to take it over.
func (g *GetSet) TryAcquire(ctx context.Context, name string) (locks.Lease, error) {
	return attempt.TryAcquire(ctx, g.terms, g.attempt, name)
}

// attempt returns a lease and the requests for it. Its value is the end of its validity, so two
// clients may have equal values.
func (g *GetSet) attempt(name string) (*getSetLease, attempt.Try) {
	l := &getSetLease{getset: g, Grant: attempt.Grant{Name: name}}
	return l, func(ctx context.Context) (bool, error) {
		now := g.cfg.Clock.Now()
		l.End = now.Add(g.cfg.TTL)
		l.Value = strconv.FormatInt(l.End.UnixNano(), 10)
		n, err := g.rdb.Do(ctx, "SETNX", lockKey(name), l.Value).Int64()
		if err != nil || n == 1 {
			return n == 1, err
		}
		current, err := g.rdb.Get(ctx, lockKey(name)).Result()
		if err != nil || !past(current, now) { // the key is gone, or held
			return false, nil
		}
		old, err := g.rdb.Do(ctx, "GETSET", lockKey(name), l.Value).Text()
		if errors.Is(err, goredis.Nil) { // released meanwhile, and nobody else holds it
			return true, nil
		}
		return err == nil && past(old, now), err
	}
}

// past reports whether the time in a value is over.
func past(value string, now time.Time) bool {
	end, err := strconv.ParseInt(value, 10, 64)
	return err == nil && end < now.UnixNano()
}

// A getSetLease is the key with a time in the future, which is the end of its validity. Nothing
// compares the value.
type getSetLease struct {
	attempt.Grant
	getset *GetSet
}

var (
	_ locks.Bounded = (*getSetLease)(nil)
	_ locks.Owned   = (*getSetLease)(nil)
)

// Release deletes the key, whoever owns it.
func (l *getSetLease) Release(ctx context.Context) error { return l.getset.drop(ctx, l.Name) }

// NewGetSetProbe returns a probe of GetSet, which reads the expiry from the value, by the clock of
// this host.
func NewGetSetProbe(nodes []Node, timeout time.Duration) locks.Prober {
	p := newProbe(nodes, timeout)
	p.look = func(ctx context.Context, s *server, name string) (locks.Sight, error) {
		sight, err := look(ctx, s, name)
		if end, perr := strconv.ParseInt(sight.Owner, 10, 64); err == nil && perr == nil {
			sight.Left = max(0, time.Until(time.Unix(0, end)))
		}
		return sight, err
	}
	return p
}

package redis

import (
	"context"
	_ "embed"

	goredis "github.com/redis/go-redis/v9"

	"locktorture/locks"
	"locktorture/locks/attempt"
)

//go:embed acquire_lua.lua
var acquireLuaSource string

// A Lua is SETNX and the expiry in one script, so that no crash can separate them. A release
// compares and deletes in one script.
//
// Source: the method before SET had NX and PX (Redis 2.6 to 2.6.11), still found in many code
// bases. It has the clock and the other promises of Set.
type Lua struct {
	*Set
	take *goredis.Script
}

var (
	_ locks.Locker = (*Lua)(nil)
	_ locks.Trier  = (*Lua)(nil)
)

// NewLua returns a client; it connects when it is first used.
func NewLua(cfg Config) *Lua {
	return &Lua{Set: NewSet(cfg), take: goredis.NewScript(acquireLuaSource)}
}

// LuaTraits returns the lock's traits.
func LuaTraits() locks.Traits { return SetTraits() }

// Acquire spins until the script takes the lock.
func (s *Lua) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	return attempt.Acquire(ctx, s.terms, s.attempt, name)
}

// TryAcquire runs the script once.
func (s *Lua) TryAcquire(ctx context.Context, name string) (locks.Lease, error) {
	return attempt.TryAcquire(ctx, s.terms, s.attempt, name)
}

// attempt returns a lease and the function that tries once to take it. The validity counts from
// before the request.
func (s *Lua) attempt(name string) (*setLease, attempt.Try) {
	l := &setLease{set: s.Set, Grant: attempt.Grant{Name: name, Value: s.owner()}}
	return l, func(ctx context.Context) (bool, error) {
		start := s.cfg.Clock.Now()
		n, err := s.take.Run(ctx, s.rdb, []string{lockKey(name)}, l.Value, s.cfg.TTL.Milliseconds()).Int64()
		l.End = start.Add(s.cfg.TTL)
		return n == 1, err
	}
}

package redis

import (
	"context"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"locktorture/locks"
)

// NewReentrantProbe returns a probe for locks whose key is a hash with one field, the owner.
func NewReentrantProbe(nodes []Node, timeout time.Duration) locks.Prober {
	return NewFieldProbeAt(nodes, timeout, lockKey)
}

// NewFieldProbeAt returns the probe of NewReentrantProbe for locks with other keys: key maps a
// lock's name to its key.
func NewFieldProbeAt(nodes []Node, timeout time.Duration, key func(lock string) string) locks.Prober {
	p := newProbe(nodes, timeout)
	p.look = func(ctx context.Context, s *server, name string) (locks.Sight, error) {
		return lookInside(ctx, s, key(name))
	}
	return p
}

// lookInside reads field and expiry in one transaction.
func lookInside(ctx context.Context, s *server, key string) (locks.Sight, error) {
	rctx, cancel := s.terms.Request(ctx)
	defer cancel()
	var owners *goredis.StringSliceCmd
	var left *goredis.DurationCmd
	_, err := s.rdb.TxPipelined(rctx, func(p goredis.Pipeliner) error {
		owners, left = p.HKeys(rctx, key), p.PTTL(rctx, key)
		return nil
	})
	if err != nil || len(owners.Val()) == 0 {
		return locks.Sight{}, err
	}
	sight := locks.Sight{Owner: owners.Val()[0], Left: left.Val()}
	if sight.Left < 0 { // −1: the key has no expiry
		sight.Left = -1
	}
	return sight, nil
}

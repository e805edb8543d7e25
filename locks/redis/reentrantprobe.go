package redis

import (
	"context"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"locktorture/locks"
)

// NewReentrantProbe returns a probe for the locks whose key is a hash of one field,
// the owner.
func NewReentrantProbe(nodes []Node, timeout time.Duration) *Probe {
	p := NewProbe(nodes, timeout)
	p.look = lookInside
	return p
}

// lookInside asks for field and expiry at one moment.
func lookInside(ctx context.Context, s *server, name string) (locks.Sight, error) {
	rctx, cancel := s.terms.Request(ctx)
	defer cancel()
	var owners *goredis.StringSliceCmd
	var left *goredis.DurationCmd
	_, err := s.rdb.TxPipelined(rctx, func(p goredis.Pipeliner) error {
		owners, left = p.HKeys(rctx, lockKey(name)), p.PTTL(rctx, lockKey(name))
		return nil
	})
	if err != nil || len(owners.Val()) == 0 {
		return locks.Sight{}, err
	}
	sight := locks.Sight{Owner: owners.Val()[0], Left: left.Val()}
	if sight.Left < 0 { // −1: no expiry
		sight.Left = -1
	}
	return sight, nil
}

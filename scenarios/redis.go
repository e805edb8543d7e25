package scenarios

import (
	"context"
	"fmt"

	"locktorture/internal/rediscmd"
	"locktorture/locks"
)

// CurrentToken asks the lock's server for the latest token.
func (s *Stage) CurrentToken() uint64 {
	var token uint64
	s.step("ask for the current token", func(ctx context.Context) error {
		return s.onRedis(ctx, 0, func(c rediscmd.Client) (err error) {
			token, err = c.Get(ctx, "token:"+s.Lock).Uint64()
			return err
		})
	})
	return token
}

// TokenOf returns the token of a lease.
func (s *Stage) TokenOf(l *Lease) uint64 {
	if l == nil {
		return 0
	}
	return l.Token()
}

// onRedis sends a request to one Redis server itself, bypassing all proxies.
func (s *Stage) onRedis(ctx context.Context, node int, do func(c rediscmd.Client) error) error {
	n := s.cluster.Nodes[node]
	c := rediscmd.Open(rediscmd.Server{Addr: n.Addr(), Dial: (*locks.Access)(nil).Dial})
	defer c.Close()
	if err := do(c); err != nil {
		return fmt.Errorf("ask %s: %w", n.Name(), err)
	}
	return nil
}

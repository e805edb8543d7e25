package scenarios

import (
	"context"
	"fmt"

	"locktorture/internal/rediscmd"
	"locktorture/locks"
)

// CurrentToken asks the lock's server for the latest token.
func (v *Servers) CurrentToken() uint64 {
	var token uint64
	v.stage.step("ask for the current token", func(ctx context.Context) error {
		return v.onRedis(ctx, 0, func(c rediscmd.Client) (err error) {
			token, err = c.Get(ctx, "token:"+v.stage.Lock).Uint64()
			return err
		})
	})
	return token
}

// onRedis sends a request to one Redis server itself, bypassing all proxies.
func (v *Servers) onRedis(ctx context.Context, node int, do func(c rediscmd.Client) error) error {
	n := v.cluster.Nodes[node]
	c := rediscmd.Open(rediscmd.Server{Addr: n.Addr(), Dial: (*locks.Access)(nil).Dial})
	defer c.Close()
	if err := do(c); err != nil {
		return fmt.Errorf("ask %s: %w", n.Name(), err)
	}
	return nil
}

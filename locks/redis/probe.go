package redis

import (
	"context"
	"errors"
	"fmt"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"locktorture/locks"
)

// A Node is one server that a Probe asks.
type Node struct {
	Name   string        // as the cluster calls it
	Addr   string        // host:port of the server itself, past all proxies
	Access *locks.Access // nil: it is open to everybody
}

// A Probe asks Redis servers who holds a lock and for how long. It serves the
// locks whose key has the owner as its value, and Redlock, which has the same keys.
type Probe struct {
	nodes   []Node
	servers []*server
	look    func(ctx context.Context, s *server, name string) (locks.Sight, error)
}

var _ locks.Prober = (*Probe)(nil)

// NewProbe returns a probe of these servers. timeout bounds each question; 0 is 200 ms.
func NewProbe(nodes []Node, timeout time.Duration) *Probe {
	if timeout <= 0 {
		timeout = 200 * time.Millisecond
	}
	p := &Probe{nodes: nodes, look: look}
	for _, n := range nodes {
		p.servers = append(p.servers, newServer(Config{Addr: n.Addr, Timeout: timeout, Access: n.Access}))
	}
	return p
}

// NewProbeAt is NewProbe for locks whose keys are called otherwise: key says how, by the lock's name.
func NewProbeAt(nodes []Node, timeout time.Duration, key func(lock string) string) *Probe {
	p := NewProbe(nodes, timeout)
	p.look = func(ctx context.Context, s *server, name string) (locks.Sight, error) {
		return lookAt(ctx, s, key(name))
	}
	return p
}

// Probe returns what every server that answers in time says of the lock. It is an
// error only if none does.
func (p *Probe) Probe(ctx context.Context, name string) ([]locks.Sight, error) {
	type result struct {
		sight locks.Sight
		err   error
	}
	results := make([]chan result, len(p.nodes))
	for i := range p.nodes {
		results[i] = make(chan result, 1)
		go func() {
			s, err := p.look(ctx, p.servers[i], name)
			s.Node = p.nodes[i].Name
			results[i] <- result{s, err}
		}()
	}
	var sights []locks.Sight
	var errs []error
	for i, c := range results {
		if r := <-c; r.err == nil {
			sights = append(sights, r.sight)
		} else {
			errs = append(errs, fmt.Errorf("probe %s: %w", p.nodes[i].Name, r.err))
		}
	}
	if len(sights) == 0 {
		return nil, errors.Join(errs...)
	}
	return sights, nil
}

// look asks for value and expiry at one moment.
func look(ctx context.Context, s *server, name string) (locks.Sight, error) {
	return lookAt(ctx, s, lockKey(name))
}

func lookAt(ctx context.Context, s *server, key string) (locks.Sight, error) {
	rctx, cancel := s.terms.Request(ctx)
	defer cancel()
	var value *goredis.StringCmd
	var left *goredis.DurationCmd
	_, err := s.rdb.TxPipelined(rctx, func(p goredis.Pipeliner) error {
		value, left = p.Get(rctx, key), p.PTTL(rctx, key)
		return nil
	})
	if errors.Is(err, goredis.Nil) {
		return locks.Sight{}, nil
	}
	if err != nil {
		return locks.Sight{}, err
	}
	sight := locks.Sight{Owner: value.Val(), Left: left.Val()}
	if sight.Left < 0 { // −1: no expiry
		sight.Left = -1
	}
	return sight, nil
}

// Close drops the connections.
func (p *Probe) Close() error {
	var errs []error
	for _, s := range p.servers {
		errs = append(errs, s.Close())
	}
	return errors.Join(errs...)
}

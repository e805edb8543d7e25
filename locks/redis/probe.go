package redis

import (
	"context"
	"errors"
	"fmt"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"locktorture/locks"
)

// A Node is a server that a probe queries.
type Node struct {
	// Name is the name of the server in the cluster.
	Name string
	// Addr is the host:port of the server itself. A probe must bypass the proxies, which faults
	// cut.
	Addr string
	// Access holds the login and the TLS settings. It is nil if the server requires no login.
	Access *locks.Access
}

// A probe queries Redis servers for the holder of a lock and the remaining time. It serves all
// locks whose key has the owner as its value, including Redlock, which uses the same keys.
//
// Its constructors return the interface: a package that sees the type of a client of go-redis
// takes two seconds of processor more to compile.
type probe struct {
	nodes   []Node
	servers []*server
	look    func(ctx context.Context, s *server, name string) (locks.Sight, error)
}

// NewProbe returns a probe of these servers. timeout limits each query; 0 stands for 200 ms.
func NewProbe(nodes []Node, timeout time.Duration) locks.Prober { return newProbe(nodes, timeout) }

func newProbe(nodes []Node, timeout time.Duration) *probe {
	if timeout <= 0 {
		timeout = 200 * time.Millisecond
	}
	p := &probe{nodes: nodes, look: look}
	for _, n := range nodes {
		p.servers = append(p.servers, newServer(Config{Addr: n.Addr, Timeout: timeout, Access: n.Access}))
	}
	return p
}

// NewProbeAt returns a probe for locks with other keys: key maps a lock's name to its key.
func NewProbeAt(nodes []Node, timeout time.Duration, key func(lock string) string) locks.Prober {
	p := newProbe(nodes, timeout)
	p.look = func(ctx context.Context, s *server, name string) (locks.Sight, error) {
		return lookAt(ctx, s, key(name))
	}
	return p
}

// Probe returns the sight of every server that answers in time. It returns an error only if none
// does.
func (p *probe) Probe(ctx context.Context, name string) ([]locks.Sight, error) {
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

// look reads value and expiry in one transaction.
func look(ctx context.Context, s *server, name string) (locks.Sight, error) {
	return lookAt(ctx, s, lockKey(name))
}

// lookAt reads the key in one transaction, so that owner and expiry belong together.
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
	if sight.Left < 0 { // −1: the key has no expiry
		sight.Left = -1
	}
	return sight, nil
}

// Close drops the connections.
func (p *probe) Close() error {
	var errs []error
	for _, s := range p.servers {
		errs = append(errs, s.Close())
	}
	return errors.Join(errs...)
}

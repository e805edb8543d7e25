package cluster

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Sentinels controls a Redis primary whose replicas are promoted by sentinels. Its methods may be
// called from several goroutines; each waits until the others have returned.
type Sentinels struct {
	links  mesh     // between all servers, the Redis servers first
	boards []string // addresses of the Redis servers as the sentinels know them
	asked  []*sentinelClient

	mu      sync.Mutex
	nodes   []restarter // the Redis servers
	killed  map[int]bool
	primary atomic.Int32

	stop context.CancelFunc
	done chan struct{}
}

var _ Replication = (*Sentinels)(nil)

// sentinelPoll is the interval between two requests for the primary to the sentinels.
const sentinelPoll = 20 * time.Millisecond

func newSentinels(links mesh, boards []string) *Sentinels {
	return &Sentinels{links: links, boards: boards, killed: map[int]bool{}, stop: func() {}}
}

// join makes replicas of all Redis servers but the first, and returns when they are in sync.
func (s *Sentinels) join(ctx context.Context, nodes []Node) error {
	for i, n := range nodes {
		rn, ok := n.(restarter)
		if !ok {
			return fmt.Errorf("%s cannot be killed and started again, which a fail-over needs", n.Name())
		}
		s.nodes = append(s.nodes, rn)
		if i == 0 {
			continue
		}
		if err := follow(ctx, n.Addr(), s.boards[0]); err != nil {
			return err
		}
	}
	return s.inSync(ctx)
}

// begin waits until the sentinels know each other and all replicas. From then on it follows the
// primary that they report.
func (s *Sentinels) begin(ctx context.Context, sentinels []Node) error {
	for _, n := range sentinels {
		if err := hurry(ctx, n.Addr()); err != nil {
			return err
		}
		s.asked = append(s.asked, newSentinelClient(n.Addr()))
	}
	if err := s.settled(ctx); err != nil {
		return err
	}
	follow, stop := context.WithCancel(context.Background())
	s.stop, s.done = stop, make(chan struct{})
	go s.follow(follow)
	return nil
}

// close stops the requests to the sentinels.
func (s *Sentinels) close() {
	s.stop()
	if s.done != nil {
		<-s.done
	}
	for _, c := range s.asked {
		c.close()
	}
}

// follow records the current primary until ctx ends.
func (s *Sentinels) follow(ctx context.Context) {
	defer close(s.done)
	t := time.NewTicker(sentinelPoll)
	defer t.Stop()
	for {
		select {
		case <-t.C:
		case <-ctx.Done():
			return
		}
		if p := s.elected(ctx); p >= 0 {
			s.primary.Store(int32(p))
		}
	}
}

// Primary returns the index of the Redis that most sentinels consider the primary.
func (s *Sentinels) Primary() int { return int(s.primary.Load()) }

// elected asks all sentinels and returns the index of the Redis that most of them name, or -1.
func (s *Sentinels) elected(ctx context.Context) int {
	named := make([]int, len(s.asked))
	var wg sync.WaitGroup
	for i, c := range s.asked {
		wg.Go(func() { named[i] = slices.Index(s.boards, c.master(ctx)) })
	}
	wg.Wait()
	count := make([]int, len(s.boards))
	for _, p := range named {
		if p >= 0 {
			if count[p]++; count[p] > len(s.asked)/2 {
				return p
			}
		}
	}
	return -1
}

// place makes a restarted Redis a replica, unless it is the primary.
func (s *Sentinels) place(ctx context.Context, i int) error {
	p := s.elected(ctx)
	if p < 0 {
		p = s.Primary()
	}
	if p == i {
		return nil
	}
	return follow(ctx, s.nodes[i].Addr(), s.boards[p])
}

// settled waits until all answering sentinels know each other and consider every Redis up and in
// its role.
func (s *Sentinels) settled(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	for _, c := range s.asked {
		err := poll(ctx, sentinelPoll, func() (bool, error) {
			return c.knows(ctx, len(s.asked)-1, len(s.boards)-1), nil
		})
		if err != nil {
			return fmt.Errorf("wait for %s to know all others: %w", c.addr, err)
		}
	}
	return nil
}

// inSync waits until every replica has all data that the primary had written at the call. It
// repeats a failed request, because a sentinel closes all connections of a server that it makes a
// replica.
func (s *Sentinels) inSync(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	var last error
	err := poll(ctx, replicaPoll, func() (bool, error) {
		last = s.followed(ctx, s.Primary())
		return last == nil, nil
	})
	if err != nil {
		return fmt.Errorf("wait for the replicas: %w: %w", err, last)
	}
	return nil
}

// followed returns nil if every replica has all data that a primary has written.
func (s *Sentinels) followed(ctx context.Context, primary int) error {
	p := s.nodes[primary]
	for i, n := range s.nodes {
		if i == primary {
			continue
		}
		ok, err := synced(ctx, n.Addr(), p.Addr(), s.boards[primary])
		if err != nil {
			return err
		}
		if !ok {
			return fmt.Errorf("%s does not follow %s", n.Name(), p.Name())
		}
	}
	return acknowledged(ctx, p.Addr(), len(s.nodes)-1)
}

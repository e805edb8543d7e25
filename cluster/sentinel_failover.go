package cluster

import (
	"context"
	"fmt"
)

// CutReplicas interrupts the replication to all replicas. The sentinels still reach every server
// and consider the primary up.
func (s *Sentinels) CutReplicas(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return cutReplicas(s.nodes, s.links, s.Primary())
}

// WaitWrite waits until the primary holds a key with a value that no replica has.
func (s *Sentinels) WaitWrite(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return waitWrite(ctx, s.nodes, s.Primary(), s.killed)
}

// Failover kills the primary. It returns once the sentinels have elected one of themselves, that
// sentinel has promoted a replica, and the replica accepts writes.
func (s *Sentinels) Failover(ctx context.Context) (promoted string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.Primary()
	if err := s.nodes[old].Kill(ctx); err != nil {
		return "", fmt.Errorf("fail over: %w", err)
	}
	s.killed[old] = true
	next := -1
	err = poll(ctx, sentinelPoll, func() (bool, error) {
		next = s.elected(ctx)
		return next >= 0 && next != old && writable(ctx, s.nodes[next].Addr()), nil
	})
	if err != nil {
		return "", fmt.Errorf("wait for the sentinels to promote a replica: %w", err)
	}
	s.primary.Store(int32(next))
	return s.nodes[next].Name(), nil
}

// writable reports whether a Redis accepts a write (one that changes no data).
func writable(ctx context.Context, addr string) bool {
	c := redisClient(addr)
	defer c.Close()
	return c.Del(ctx, "torture:no-such-key").Err() == nil
}

// Rejoin heals the links between the servers and restarts a killed primary as a replica. It returns
// when every replica is in sync and the sentinels see all servers in their roles.
func (s *Sentinels) Rejoin(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.links.heal(); err != nil {
		return fmt.Errorf("rejoin: %w", err)
	}
	for i := range s.nodes {
		if !s.killed[i] {
			continue
		}
		if err := s.nodes[i].Start(ctx, false); err != nil {
			return fmt.Errorf("rejoin: %w", err)
		}
		delete(s.killed, i)
	}
	if err := s.inSync(ctx); err != nil {
		return fmt.Errorf("rejoin: %w", err)
	}
	return s.settled(ctx)
}

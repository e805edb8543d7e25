package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"locktorture/locks"
)

// TestKubernetesHealthyLeader counts how often a candidate takes the Lease of a leader that
// renews it all the time. The library compares what it has read in whole seconds, so that
// renewals within one second look alike, and a Lease of one second seems over now and then.
func TestKubernetesHealthyLeader(t *testing.T) {
	n := rounds(t)
	p := startKubernetes(t, 2*n)
	for _, ttl := range []time.Duration{time.Second, 2 * time.Second} {
		var mu sync.Mutex
		var after, gaps []time.Duration
		var all sync.WaitGroup
		for round := range n {
			all.Go(func() {
				led, gap, ok := p.overtaken(fmt.Sprintf("healthy-%v-%d", ttl, round), 2*round+1, ttl)
				mu.Lock()
				defer mu.Unlock()
				if ok {
					after, gaps = append(after, led), append(gaps, gap)
				}
			})
		}
		all.Wait()
		slices.Sort(after)
		slices.Sort(gaps)
		t.Logf("TTL %v: the leader was overtaken in %d of %d rounds of %v, after %v; it was told later by %v", ttl, len(after), n, healthyFor, after, gaps)
	}
}

// healthyFor is how long a round of TestKubernetesHealthyLeader may take.
const healthyFor = 20 * time.Second

// overtaken returns one round: how long the leader led before another did, how much later it
// was told, and whether it was overtaken at all.
func (p plane) overtaken(name string, client int, ttl time.Duration) (led, gap time.Duration, ok bool) {
	a, b := p.candidate(client, ttl, true), p.candidate(client+1, ttl, true)
	defer a.Close()
	defer b.Close()
	first := p.lead(a, name, "a")
	began := time.Now()
	ctx, cancel := context.WithTimeout(p.Context(), healthyFor)
	defer cancel()
	if _, err := b.Campaign(ctx, name, "b"); err != nil {
		if ctx.Err() == nil && !errors.Is(err, locks.ErrNotAcquired) {
			p.Error(err)
		}
		return 0, 0, false
	}
	second := time.Now()
	<-first.(locks.Watched).Lost()
	return second.Sub(began).Round(time.Millisecond), time.Since(second).Round(time.Millisecond), true
}

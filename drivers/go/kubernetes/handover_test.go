package main

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"locktorture/cluster"
	"locktorture/locks"
)

// TestKubernetesHandOver measures how long nobody leads, with one candidate that waits, and
// looks at the terms.
func TestKubernetesHandOver(t *testing.T) {
	n := rounds(t)
	p := startKubernetes(t, 2*n)
	ttls := []time.Duration{time.Second, 2 * time.Second}
	if n > 1 {
		ttls = append(ttls, 5*time.Second, 15*time.Second)
	}
	for _, ttl := range ttls {
		for _, end := range []string{"released", "crashed", "cut off"} {
			took := make([]time.Duration, n)
			var all sync.WaitGroup
			for round := range n {
				all.Go(func() { took[round] = p.handOver(end, ttl, round, n) })
			}
			all.Wait()
			slices.Sort(took)
			t.Logf("TTL %v, the leader %s: another leads after %v to %v, median %v; all: %v", ttl, end, took[0], took[n-1], took[n/2], took)
		}
	}
}

// handOver returns one of n rounds, with two clients: from what ends the leader until the next
// leads. The leader ends another part of a pause after its renewal from round to round.
func (p plane) handOver(end string, ttl time.Duration, round, n int) time.Duration {
	name, client := fmt.Sprintf("hand-over-%s-%v-%d", end[:3], ttl, round), 2*round+1
	a, b := p.candidate(client, ttl, false), p.candidate(client+1, ttl, false)
	defer a.Close()
	defer b.Close()
	first := p.lead(a, name, "a")
	type grant struct {
		lease locks.Lease
		at    time.Time
	}
	second := make(chan grant, 1)
	go func() {
		l, err := b.Campaign(context.Background(), name, "b")
		if err != nil {
			p.Error(err)
		}
		second <- grant{l, time.Now()}
	}()
	time.Sleep(ttl + ttl*2/15*time.Duration(round)/time.Duration(n))
	gone := time.Now()
	switch end {
	case "released":
		if err := first.Release(p.Context()); err != nil {
			p.Errorf("%s: %v", name, err) // refused: it will be free when it has expired
		}
	case "crashed":
		a.Close()
	default:
		p.disturb(client, (*cluster.Link).Cut)
	}
	g := <-second
	if was, is := first.(locks.Fenced).Token(), g.lease.(locks.Fenced).Token(); is <= was {
		p.Errorf("%s: term %d after %d", name, is, was)
	}
	if end == "cut off" {
		p.disturb(client, (*cluster.Link).Heal)
	}
	return g.at.Sub(gone).Round(time.Millisecond)
}

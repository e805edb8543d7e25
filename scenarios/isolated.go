//go:build !wasip1 && !simulated

package scenarios

import (
	"context"
	"slices"
	"time"

	"locktorture/internal/rediscmd"
	"locktorture/nemesis"
)

// The facts that an isolated primary must show.
const (
	stillGrants = "the isolated primary went on granting locks after the other had"
	stopsGrants = "the isolated primary stopped granting locks"
	wantOf      = "client 1 was refused for want of replicas"
)

// The variants of isolated-primary.
const (
	anyReplicas = "no replica is needed"
	askedAtOnce = "min-replicas-to-write, asked at once"
	askedLater  = "min-replicas-to-write, asked later"
)

// maxLag is min-replicas-max-lag, in s.
const maxLag = "2"

// IsolatedPrimary returns the scenario of a primary on the minority's side of a partition.
func IsolatedPrimary() Scenario {
	return Scenario{
		Title:  "the old primary is cut off with a client, and goes on granting locks",
		Source: "the Redis manual, \"High availability with Redis Sentinel\", example 2",
		Shows:  "Two primaries grant the same lock. min-replicas-to-write bounds for how long, and does not prevent it.",
		Story: "The primary, a sentinel and client 1 are cut off from the rest. Client 1 takes the lock on the isolated primary. The other sentinels " +
			"promote a replica, and client 2 takes the lock there.",
		Lesson: "Keep the permitted lag shorter than an election, or ask a majority.",
		TTL:    electedTTL,
		Cases: []Case{
			{Backend: "redis-sentinel", Variant: anyReplicas, Options: impatient(), Expect: "unsafe+double-grant", Facts: []string{stillGrants}},
			{Backend: "redis-sentinel", Variant: askedAtOnce, Options: impatient(), Expect: "unsafe+double-grant", Facts: []string{stopsGrants}},
			{Backend: "redis-sentinel", Variant: askedLater, Options: impatient(), Expect: "safe", Facts: []string{stopsGrants, wantOf}},
		},
		Play: func(s *Stage) {
			c1, c2 := s.Client(1), s.Client(2)
			if s.Case.Variant != anyReplicas {
				s.Servers.Configure("min-replicas-to-write", "1")
				s.Servers.Configure("min-replicas-max-lag", maxLag)
			}
			c1.Warm()
			r := s.Replicas()
			r.UntilSynced()
			old := r.primary()
			cut := r.isolate(c1, c2)
			var l1 *Lease
			if s.Case.Variant != askedLater {
				l1 = c1.Acquire()
			}
			if s.Case.Variant != anyReplicas {
				c1.grantsUntilRefused(cut)
			}
			if s.Case.Variant == askedLater {
				l1 = c1.Try()
				s.Fact(wantOf, c1.RefusedBy("NOREPLICAS"))
			}
			r.UntilElected(old)
			l2 := c2.Acquire()
			s.Measured("granted again", "%.2f s after the cut", since(cut, l2))
			if l1 != nil {
				s.Measured("the second grant", "%.2f s after the first, which was valid", since(l1.at, l2))
			}
			if s.Case.Variant == anyReplicas {
				still := c1.Take(s.Lock + pulse)
				s.Fact(stillGrants, still != nil)
				s.Measured("the isolated primary still granted a lock", "%.2f s after the cut, and would until it is healed", since(cut, still))
			}
			l2.Release()
		},
	}
}

// impatient shortens the timeout of requests. The first connection of a client waits for the
// answers of all sentinels, including the unreachable ones, because go-redis does not use the first
// answer.
func impatient() map[string]string { return map[string]string{"timeout": "3s"} }

// since returns the time from a moment to a grant, in s.
func since(at int64, l *Lease) float64 {
	if l == nil {
		return 0
	}
	return time.Duration(l.at - at).Seconds()
}

// isolate cuts the primary, a sentinel and one client off from all others, and returns the time of
// the cut, in ns of the history.
func (r *Replicas) isolate(with, without *Client) int64 {
	s := r.stage
	if s.over() || r.cluster.Replicas == nil {
		s.fail(ErrCannot)
		return 0
	}
	side := []int{r.primary(), len(r.cluster.Nodes) - 1}
	others := slices.DeleteFunc(all(len(r.cluster.Nodes)), func(i int) bool { return slices.Contains(side, i) })
	with.LinksTo(letters(others)).Cut()
	without.LinksTo(letters(side)).Cut()
	s.Servers.Strike(nemesis.Partition{}, nemesis.Step{Mode: nemesis.PartitionNodes, Nodes: side})
	return s.script.Now()
}

// pulse is the end of the names of locks that are taken only to test whether a server grants any,
// and to open connections (see Warm). They are not drawn.
const pulse = ".warm"

// grantsUntilRefused takes and releases a lock repeatedly until it is refused, and notes the time
// of the last grant.
func (c *Client) grantsUntilRefused(cut int64) {
	s := c.stage
	var last *Lease
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !s.over() {
		l := c.acquire(s.Lock+pulse, patience, c.scripted.Try)
		if l == nil {
			break
		}
		last = l
		l.Release()
		<-tick.C
	}
	s.Fact(stopsGrants, c.RefusedBy("NOREPLICAS"))
	s.Measured("the isolated primary stopped granting", "%.2f s after the cut (max-lag %s s)", since(cut, last), maxLag)
}

// primary returns the current primary.
func (r *Replicas) primary() int {
	if r.cluster.Replicas == nil {
		return 0
	}
	return r.cluster.Replicas.Primary()
}

// UntilElected waits until the sentinels name a new primary.
func (r *Replicas) UntilElected(old int) {
	s := r.stage
	s.Until("another primary is named", patience, func(context.Context) (bool, error) { return r.primary() != old, nil })
	if !s.over() {
		r.fault.strike(r.cluster.Nodes[r.primary()].Name() + " was promoted by the sentinels")
	}
}

// Configure changes a setting of every Redis until the end of the script.
func (v *Servers) Configure(setting, value string) {
	v.stage.step("set "+setting, func(ctx context.Context) error {
		for i, n := range v.cluster.Nodes {
			if n.Name()[:5] != "redis" {
				continue // a sentinel
			}
			set := func(ctx context.Context, value string) error {
				return v.onRedis(ctx, i, func(c rediscmd.Client) error { return c.ConfigSet(ctx, setting, value).Err() })
			}
			err := v.onRedis(ctx, i, func(c rediscmd.Client) error {
				before, err := c.ConfigGet(ctx, setting).Result()
				v.stage.later(func(ctx context.Context) error { return set(ctx, before[setting]) })
				return err
			})
			if err != nil {
				return err
			}
			if err := set(ctx, value); err != nil {
				return err
			}
		}
		return nil
	})
}

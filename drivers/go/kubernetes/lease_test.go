package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"locktorture/cluster"
	"locktorture/cluster/process"
	"locktorture/locks"
)

// A plane is a control plane, and elections on it.
type plane struct {
	*testing.T
	cluster *cluster.Cluster
}

// startKubernetes needs API servers, which make test does not ask for.
func startKubernetes(t *testing.T, clients int) plane {
	t.Helper()
	p := process.New(filepath.Join("..", "..", "..", "bin", "servers"))
	if err := p.Serves("kube-apiserver"); err != nil {
		t.Skip(err)
	}
	began := time.Now()
	c, err := cluster.Start(t.Context(), "kubernetes", p, clients, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("control plane ready after %v", time.Since(began).Round(10*time.Millisecond))
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return plane{t, c}
}

// candidate returns a client of its own connection.
func (p plane) candidate(client int, ttl time.Duration, kept bool) *KubernetesLease {
	p.Helper()
	k, err := NewKubernetesLease(KubernetesConfig{
		Endpoints: p.cluster.Endpoints(client), TTL: ttl, Owner: "p" + strconv.Itoa(client), KeepOnCancel: kept,
	})
	if err != nil {
		p.Fatal(err)
	}
	p.Cleanup(func() { k.Close() })
	return k
}

// lead campaigns and must win.
func (p plane) lead(k *KubernetesLease, name, value string) locks.Lease {
	p.Helper()
	l, err := k.Campaign(within(p.T, 20*time.Second), name, value)
	if err != nil {
		p.Fatal(err)
	}
	return l
}

// disturb does something to all links of a client.
func (p plane) disturb(client int, do func(*cluster.Link) error) {
	p.Helper()
	for n := range p.cluster.Nodes {
		if l := p.cluster.Link(client, n); l != nil {
			if err := do(l); err != nil {
				p.Fatal(err)
			}
		}
	}
}

// rounds returns how often each known failure is tried: TORTURE_TEST_ROUNDS, or once.
func rounds(t *testing.T) int {
	text := os.Getenv("TORTURE_TEST_ROUNDS")
	if text == "" {
		return 1
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestKubernetesLateNotice measures who is told last when a leader is cut off: the leader its
// loss, or the next that it leads. Before the cut, replies to the leader are held back for a
// while in half of the rounds, shorter than a request may take.
func TestKubernetesLateNotice(t *testing.T) {
	const ttl = 6 * time.Second // a request of a shorter one may take more than a third of it
	n := rounds(t)
	p := startKubernetes(t, 2*n)
	late := 0
	for _, tt := range []struct {
		held, kept bool
	}{{true, false}, {true, true}, {false, false}, {false, true}} {
		gaps := make([]time.Duration, n) // from when another led until the leader was told
		var all sync.WaitGroup
		for round := range n {
			all.Go(func() {
				gaps[round] = p.lateNotice(fmt.Sprintf("late-%t-%t-%d", tt.held, tt.kept, round), 2*round+1, ttl, tt.held, tt.kept)
			})
		}
		all.Wait()
		slices.Sort(gaps)
		two := 0
		for _, g := range gaps {
			if g > 0 {
				two++
			}
		}
		if !tt.kept {
			late += two
		}
		t.Logf("reply held %t, lease kept on cancel %t: two leaders in %d of %d rounds; the first was told after the second led: %v", tt.held, tt.kept, two, n, gaps)
	}
	if late == 0 {
		t.Error("never two leaders: the documentation says that there were")
	}
}

// lateNotice returns one round of TestKubernetesLateNotice, with two clients.
func (p plane) lateNotice(name string, client int, ttl time.Duration, held, kept bool) time.Duration {
	a, b := p.candidate(client, ttl, kept), p.candidate(client+1, ttl, kept)
	defer a.Close()
	defer b.Close()
	first := p.lead(a, name, "a")
	led, told := make(chan time.Time, 1), make(chan time.Time, 1)
	go func() {
		if _, err := b.Campaign(context.Background(), name, "b"); err != nil {
			p.Error(err)
		}
		led <- time.Now()
	}()
	go func() {
		<-first.(locks.Watched).Lost()
		told <- time.Now()
	}()
	time.Sleep(ttl / 2)
	if held {
		p.disturb(client, func(l *cluster.Link) error { return l.Hold(cluster.Replies) })
		time.Sleep(ttl * 2 / 15 * 21 / 10) // a renewal was carried out in the last TTL/3, the time of a request
		p.disturb(client, func(l *cluster.Link) error { return l.LetGo(cluster.Replies) })
		time.Sleep(20 * time.Millisecond)
	}
	p.disturb(client, (*cluster.Link).Cut)
	gap := (<-told).Sub(<-led)
	p.disturb(client, (*cluster.Link).Heal)
	return gap.Round(time.Millisecond)
}

// TestKubernetesReleaseWhileAtWork resigns while the leader's work goes on: the library does not
// wait for it.
func TestKubernetesReleaseWhileAtWork(t *testing.T) {
	const ttl, work = 2 * time.Second, 1500 * time.Millisecond
	p := startKubernetes(t, 3)
	n, overlaps := rounds(t), 0
	for round := range n {
		name := fmt.Sprintf("work-%d", round)
		a, b := p.candidate(1, ttl, false), p.candidate(2, ttl, false)
		first := p.lead(a, name, "a")
		end := time.Now().Add(work)
		if err := first.Release(t.Context()); err != nil {
			t.Fatal(err)
		}
		p.lead(b, name, "b")
		if left := time.Until(end); left > 0 {
			overlaps++
			t.Logf("round %d: the second led when the first had %v of its work left", round, left.Round(time.Millisecond))
		}
		a.Close()
		b.Close()
	}
	t.Logf("two at work in %d of %d rounds", overlaps, n)
	if overlaps == 0 {
		t.Error("never two at work: the documentation says that there were")
	}
}

// TestKubernetesForeignRelease cuts a leader off until another leads, and lets it release then:
// the library releases what the other has.
func TestKubernetesForeignRelease(t *testing.T) {
	const ttl = 2 * time.Second
	p := startKubernetes(t, 3)
	n, taken := rounds(t), 0
	for round := range n {
		name := fmt.Sprintf("foreign-%d", round)
		a, b, c := p.candidate(1, ttl, false), p.candidate(2, ttl, false), p.candidate(3, ttl, false)
		p.lead(a, name, "a")
		p.disturb(1, (*cluster.Link).Cut)
		second := p.lead(b, name, "b")
		third := make(chan locks.Lease, 1)
		ctx, cancel := context.WithTimeout(t.Context(), 2*ttl)
		go func() {
			l, _ := c.Campaign(ctx, name, "c")
			third <- l
		}()
		p.disturb(1, (*cluster.Link).Heal)
		l := <-third
		cancel()
		_, term, err := b.Leader(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		lost := false
		select {
		case <-second.(locks.Watched).Lost():
			lost = true
		default:
		}
		if was := second.(locks.Fenced).Token(); term != was || l != nil {
			taken++
			t.Logf("round %d: the second leads in term %d, told its loss: %v; the term is %d, a third was elected: %v", round, was, lost, term, l != nil)
		}
		a.Close()
		b.Close()
		c.Close()
	}
	t.Logf("released by another in %d of %d rounds", taken, n)
}

func within(t *testing.T, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

package thirdparty_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"locktorture/cluster"
	"locktorture/cluster/process"
	"locktorture/locks"
	"locktorture/locks/thirdparty"
)

// A plane is a control plane, and elections on it.
type plane struct {
	*testing.T
	cluster *cluster.Cluster
}

// startKubernetes needs API servers, which make test does not ask for.
func startKubernetes(t *testing.T) plane {
	t.Helper()
	p := process.New(filepath.Join("..", "..", "bin", "servers"))
	if err := p.Serves("kube-apiserver"); err != nil {
		t.Skip(err)
	}
	began := time.Now()
	c, err := cluster.Start(t.Context(), "kubernetes", p, 3, t.TempDir())
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

// candidate is a client of its own connection.
func (p plane) candidate(client int, ttl time.Duration) *thirdparty.KubernetesLease {
	p.Helper()
	k, err := thirdparty.NewKubernetesLease(thirdparty.KubernetesConfig{Endpoints: p.cluster.Endpoints(client), TTL: ttl, Owner: "p" + strconv.Itoa(client)})
	if err != nil {
		p.Fatal(err)
	}
	p.Cleanup(func() { k.Close() })
	return k
}

// lead campaigns and must win.
func (p plane) lead(k *thirdparty.KubernetesLease, name, value string) locks.Lease {
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

// rounds is how often each known failure is tried: TORTURE_TEST_ROUNDS, or once.
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

// TestKubernetesHandOver measures how long nobody leads, and looks at the terms.
func TestKubernetesHandOver(t *testing.T) {
	p := startKubernetes(t)
	for _, ttl := range []time.Duration{time.Second, 2 * time.Second} {
		var released, crashed []time.Duration
		var last uint64
		name := fmt.Sprintf("hand-over-%v", ttl)
		for n := range rounds(t) {
			a, b := p.candidate(1, ttl), p.candidate(2, ttl)
			for _, crash := range []bool{false, true} {
				first := p.lead(a, name, "a")
				second := make(chan locks.Lease, 1)
				go func() {
					l, err := b.Campaign(context.Background(), name, "b")
					if err != nil {
						t.Error(err)
					}
					second <- l
				}()
				time.Sleep(ttl / 2)
				gone := time.Now()
				if crash {
					a.Close()
				} else if err := first.Release(t.Context()); err != nil {
					t.Fatal(err)
				}
				l := <-second
				took := time.Since(gone)
				if crash {
					crashed = append(crashed, took)
				} else {
					released = append(released, took)
				}
				if f, s := first.(locks.Fenced).Token(), l.(locks.Fenced).Token(); f <= last || s <= f {
					t.Errorf("round %d: terms %d and %d after %d", n, f, s, last)
				} else {
					last = s
				}
				if err := l.Release(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
		}
		t.Logf("TTL %v: released, free after %v; crashed, free after %v; last term %d", ttl, released, crashed, last)
	}
}

// TestKubernetesLateReply holds the replies to a leader and lets them go before its deadline:
// it believes for longer than others wait.
func TestKubernetesLateReply(t *testing.T) {
	const ttl = 2 * time.Second
	p := startKubernetes(t)
	n, overlaps := rounds(t), 0
	for round := range n {
		name := fmt.Sprintf("late-%d", round)
		a, b := p.candidate(1, ttl), p.candidate(2, ttl)
		first := p.lead(a, name, "a")
		second := make(chan time.Time, 1)
		go func() {
			if _, err := b.Campaign(context.Background(), name, "b"); err != nil {
				t.Error(err)
			}
			second <- time.Now()
		}()
		time.Sleep(ttl / 2)
		p.disturb(1, func(l *cluster.Link) error { return l.Hold(cluster.Replies) })
		time.Sleep(ttl * 6 / 10) // the renewal was carried out, and RenewDeadline is 2/3
		p.disturb(1, func(l *cluster.Link) error { return l.LetGo(cluster.Replies) })
		time.Sleep(20 * time.Millisecond)
		p.disturb(1, (*cluster.Link).Cut)
		led := <-second
		<-first.(locks.Watched).Lost()
		told := time.Now()
		if told.After(led) {
			overlaps++
		}
		t.Logf("round %d: the first was told its loss %v after the second led", round, told.Sub(led).Round(time.Millisecond))
		p.disturb(1, (*cluster.Link).Heal)
		a.Close()
		b.Close()
	}
	t.Logf("two leaders in %d of %d rounds", overlaps, n)
	if overlaps == 0 {
		t.Error("never two leaders: the documentation says that there were")
	}
}

// TestKubernetesReleaseWhileAtWork resigns while the leader's work goes on: the library does not
// wait for it.
func TestKubernetesReleaseWhileAtWork(t *testing.T) {
	const ttl, work = 2 * time.Second, 1500 * time.Millisecond
	p := startKubernetes(t)
	n, overlaps := rounds(t), 0
	for round := range n {
		name := fmt.Sprintf("work-%d", round)
		a, b := p.candidate(1, ttl), p.candidate(2, ttl)
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
	p := startKubernetes(t)
	n, taken := rounds(t), 0
	for round := range n {
		name := fmt.Sprintf("foreign-%d", round)
		a, b, c := p.candidate(1, ttl), p.candidate(2, ttl), p.candidate(3, ttl)
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

package checker_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"locktorture/checker"
	"locktorture/checker/invariant"
	"locktorture/history"
)

// TestWatch: what is told while a run goes on, and what is not because a later entry may
// excuse it.
func TestWatch(t *testing.T) {
	double := func(b *build) *build { return b.grant(1, 1, 0, 10, 2000).grant(2, 2, 100, 401, 2400) }
	update := func(b *build, lease int64, read, write string, at int64) {
		b.store(lease, plain, history.Read, "counter", read, at, at+1).store(lease, plain, history.Write, "counter", write, at+2, at+3)
	}
	fenced := func(blind bool) checker.Options { return checker.Options{Model: "fenced", Blind: blind, Watched: true} }
	overtaken := func(b *build) {
		b.fenced(1, 1, 0, 10, 0, 1).fenced(2, 2, 400, 410, 0, 2).release(1, 420, 421, history.OK)
	}
	for _, c := range []struct {
		name string
		opt  checker.Options
		make func(b *build)
		want string // each of its parts is told, in this order
	}{
		{"two at a time, and the first lives", bounded, func(b *build) { double(b).release(1, 410, 420, history.OK) },
			"c2 was granted L at 0.401 s (lease 2, itself declared valid until at least 2.400 s) although c1's lease 1, granted at 0.010 s, was declared valid until at least 2.000 s"},
		{"nothing more was heard of the first", bounded, func(b *build) { double(b) }, ""},
		{"nor of its death, for long enough", bounded, func(b *build) { double(b).until(652) }, "c2 was granted L at 0.401 s"},
		{"it may have been dead", bounded, func(b *build) { double(b).crash(1, 410).until(700) }, ""},
		{"it released before", bounded, func(b *build) { double(b).release(1, 400, 410, history.OK).until(700) }, ""},
		{"the promise had ended", bounded, func(b *build) { b.grant(1, 1, 0, 10, 400).grant(2, 2, 100, 401, 2400).until(700) }, ""},
		{"the second was over when it was first asked", bounded, func(b *build) { b.grant(1, 1, 0, 10, 2000).grant(2, 2, 100, 401, 0).over(2, 402, 403).until(700) }, ""},
		{"a lock that promises until the release", mutex, func(b *build) { b.grant(1, 1, 0, 10, 0).grant(2, 2, 100, 401, 0).until(700) },
			"c2 was granted L at 0.401 s (lease 2) although c1's lease 1, granted at 0.010 s, was never released"},
		{"a client gives back one of two under its next process", bounded, func(b *build) {
			next := b.grant(1, 1, 0, 10, 2000).under(1, history.Release)
			next.Process += 100 // since the release of another lock was not answered
			b.add(310, 320, next, history.OK, nil).grant(2, 2, 330, 401, 2400).until(700)
		}, ""},
		{"one that tells the loss", watched, func(b *build) { b.grant(1, 1, 0, 10, 0).grant(2, 2, 100, 401, 0).until(700) }, ""},
		{"a write after the lease", bounded, func(b *build) { b.grant(1, 1, 0, 10, 2000).store(1, plain, history.Write, "x", "1", 2500, 2501) },
			`c1, under lease 1 of L, wrote L/x = "1" at 2.500 s, 500 ms after its lease had expired (2.000 s)`},
		{"a write at its end", bounded, func(b *build) { b.grant(1, 1, 0, 10, 2000).store(1, plain, history.Write, "x", "1", 2000, 2001) }, ""},
		{"a write after it was renewed", bounded, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).ask(1, 1900, 1901, 3900, 3900).store(1, plain, history.Write, "x", "1", 2500, 2501)
		}, ""},
		{"what a store says", bounded, func(b *build) {
			b.start(plain, "counter", "0").grant(1, 1, 0, 10, 2000)
			update(b, 1, "0", "1", 20)
			update(b, 1, "0", "1", 30)
		}, "L/counter"},
		{"a model that is watched", func() checker.Options { o := mutex; o.Model = "mutex"; return o }(), func(b *build) {
			b.grant(1, 1, 0, 10, 0).grant(2, 2, 100, 401, 0).until(700)
		}, "although c1's lease 1|no order of the operations on L up to"},
		{"a release under a token that was overtaken", fenced(false), overtaken, "no order of the operations on L up to 0.421 s satisfies the fenced model: a release under token 1 succeeds after token 2 was granted"},
		{"one that says ok, whatever became of its lease", fenced(true), overtaken, ""},
		{"each kind once", mutex, func(b *build) { b.grant(1, 1, 0, 10, 0).grant(2, 2, 100, 401, 0).grant(3, 3, 100, 402, 0).until(700) }, "c2 was granted L"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBuild()
			c.make(b)
			w := checker.NewWatch(c.opt, invariant.Counter{})
			var got []string
			h := b.history(t)
			for i := range h {
				for _, a := range w.Feed(&h[i]) {
					if a.Property == "" || a.Time > h[i].Time {
						t.Errorf("%+v", a)
					}
					got = append(got, a.Sentence)
				}
			}
			var want []string
			if c.want != "" {
				want = strings.Split(c.want, "|")
			}
			if len(got) != len(want) {
				t.Fatalf("%q, want %q", got, want)
			}
			for i := range want {
				if !strings.Contains(got[i], want[i]) {
					t.Errorf("%q, want %q", got[i], want[i])
				}
			}
		})
	}
}

// TestWatchAgrees: what is told of the locks of random histories while they go on is part of the
// verdict, but where a later entry excused it: an operation never left its client, a death was
// recorded late, or the holder was told more time after it had overstayed.
func TestWatchAgrees(t *testing.T) {
	told, excused := 0, 0
	for i := range 2 * *histories {
		h, o := damaged(rand.New(rand.NewPCG(*referenceSeed, uint64(i))))
		verdict := checker.Check(h, o, nil)
		w := checker.NewWatch(o, nil)
		for n := range h {
			for _, a := range w.Feed(&h[n]) {
				if a.Kind == "nonlinearizable" {
					continue
				}
				told++
				if verdict.Counts.Anomalies[a.Kind] == 0 {
					excused++
				}
			}
		}
	}
	t.Logf("%d told, %d of them excused", told, excused)
	if told < *histories/10 || excused*10 > told {
		t.Errorf("%d told, %d of them excused later", told, excused)
	}
}

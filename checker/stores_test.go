package checker_test

import (
	"strings"
	"testing"

	"locktorture/checker"
	"locktorture/checker/invariant"
	"locktorture/history"
)

// TestStoreCounts: what was done to each store under the lock: the initial state and what a
// client did without the lock is not counted, nor what the store did not apply.
func TestStoreCounts(t *testing.T) {
	b := newBuild().start(plain, "counter", "0").start(fencedS, "counter", "0").fenced(1, 1, 1, 10, 0, 7).fenced(2, 2, 1, 11, 0, 8)
	b.store(1, plain, history.Read, "counter", "0", 20, 21).store(1, plain, history.Write, "counter", "1", 22, 23)
	b.store(2, plain, history.Read, "counter", "1", 24, 25)
	b.store(2, fencedS, history.Write, "counter", "1", 30, 31)
	b.stale(1, "counter", "2", 32, 33).stale(1, "counter", "2", 34, 35)
	b.holder[0] = history.Op{Lock: "L", Process: 3, Client: 3}
	b.store(0, plain, history.Read, "counter", "1", 36, 37)
	want := map[string][3]int{plain: {2, 1, 0}, fencedS: {0, 1, 2}}
	res := checker.Check(b.history(t), mutex, nil)
	for _, s := range res.Stores {
		if got := [3]int{s.Reads, s.Writes, s.Refused}; got != want[s.Store] {
			t.Errorf("%s: %d reads, writes and refused, want %d", s.Store, got, want[s.Store])
		}
	}
	if len(res.Stores) != 2 {
		t.Errorf("%d stores", len(res.Stores))
	}
}

// counted is a section of a lease that reads a counter and writes it.
func counted(b *build, lease int64, key, from, to string, at int64) {
	b.store(lease, plain, history.Read, key, from, at, at+1).store(lease, plain, history.Write, key, to, at+2, at+3).release(lease, at+4, at+5, history.OK)
}

// TestSectionsOfKeys: a counter counts on from what was there before the first section, and
// what is wrong with one of several is told beside what is wrong with the next.
func TestSectionsOfKeys(t *testing.T) {
	for _, tt := range []struct {
		name   string
		make   func(b *build)
		status string
		n      int
		says   []string
	}{
		{"from 5", func(b *build) {
			b.start(plain, "counter", "5")
			b.grant(1, 1, 0, 10, 0).grant(2, 2, 0, 20, 0)
			counted(b, 1, "counter", "5", "6", 11)
			counted(b, 2, "counter", "6", "7", 21)
		}, checker.Kept, 2, nil},
		{"from 5, and one was lost", func(b *build) {
			b.start(plain, "counter", "5")
			b.grant(1, 1, 0, 10, 0).grant(2, 2, 0, 20, 0)
			counted(b, 1, "counter", "5", "6", 11)
			counted(b, 2, "counter", "5", "6", 21)
		}, checker.Violated, 2, []string{"L/counter: "}},
		{"no number, and one was lost beside it", func(b *build) {
			b.start(plain, "k1/counter", "0").start(plain, "k2/counter", "0")
			b.grant(1, 1, 0, 10, 0).grant(2, 2, 0, 20, 0).grant(3, 3, 0, 30, 0)
			counted(b, 1, "k1/counter", "x", "1", 11)
			counted(b, 2, "k2/counter", "0", "1", 21)
			counted(b, 3, "k2/counter", "0", "1", 31)
		}, checker.Violated, 2, []string{`L/k1/counter: "x" is not a number`, "; L/k2/counter: "}},
		{"of a key that no section is about", func(b *build) {
			b.start(plain, "counter", "0").start(plain, "log", "")
			b.grant(1, 1, 0, 10, 0)
			counted(b, 1, "counter", "0", "1", 11)
			b.grant(2, 2, 0, 20, 0).store(2, plain, history.Write, "log", "x", 21, 22)
		}, checker.Kept, 1, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBuild()
			tt.make(b)
			v := checker.Check(b.history(t), mutex, invariant.PerKey{Invariant: invariant.Counter{}}).Stores[0].Sections
			if v == nil || v.Status != tt.status || v.Sections != tt.n {
				t.Fatalf("%+v", v)
			}
			for _, s := range tt.says {
				if !strings.Contains(v.Reason, s) {
					t.Errorf("%q does not tell %q", v.Reason, s)
				}
			}
		})
	}
}

// TestSecondNemesis: a fault that never struck is missed beside one that did.
func TestSecondNemesis(t *testing.T) {
	o := bounded
	o.Nemeses = []string{"pause", "latency"}
	b := newBuild().grant(1, 1, 0, 10, 2000).fault("pause", 1, 1, "c1", 100, 2200).try(2, 500, 2300, history.Fail, history.ByServer)
	r := checker.Check(b.history(t), o, nil)
	if r.Grade != checker.Unknown || !strings.HasPrefix(r.Reason, "latency was never injected") {
		t.Errorf("%s: %s", r.Grade, r.Reason)
	}
}

// TestLossOfStore: what a store lost, as a share of what was done to it.
func TestLossOfStore(t *testing.T) {
	b := newBuild().start(plain, "counter", "0").grant(1, 1, 0, 10, 0).grant(2, 2, 0, 20, 0).grant(3, 3, 0, 30, 0).grant(4, 4, 0, 40, 0)
	counted(b, 1, "counter", "0", "1", 41)
	counted(b, 2, "counter", "0", "1", 51)
	counted(b, 3, "counter", "1", "2", 61)
	counted(b, 4, "counter", "2", "3", 71)
	s := checker.Check(b.history(t), mutex, invariant.Counter{}).Stores[0]
	if s.Correct || s.Lost != 1 || s.Of != 4 || s.Loss != 0.25 || s.LossUnit != "updates" {
		t.Errorf("%+v", s)
	}
}

package checker_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"locktorture/checker"
	"locktorture/checker/invariant"
	"locktorture/history"
)

// counted is two sections on a counter, the second of which may be stale.
func sections(b *build, store string, stale bool) *build {
	b.start(store, "counter", "0")
	b.fenced(1, 1, 0, 10, 2000, 33).store(1, store, history.Read, "counter", "0", 20, 21)
	b.fenced(2, 2, 15, 2110, 4100, 34).store(2, store, history.Read, "counter", "0", 2200, 2201)
	b.store(2, store, history.Write, "counter", "1", 2210, 2211)
	if stale {
		b.store(1, store, history.Write, "counter", "1", 2300, 2301)
	}
	return b
}

// A graded is a tiny history and the grade that it must get.
type graded struct {
	name    string
	opt     checker.Options
	make    func(b *build)
	grade   checker.Grade
	failed  bool
	harness bool
	reason  string // contained in
}

// brokenGrades are the grades of runs in which something was violated.
func brokenGrades() []graded {
	torn := func(b *build) { // the store itself is broken: no lock is to blame
		b.start(plain, "counter", "0").grant(1, 1, 0, 10, 1000)
		b.store(1, plain, history.Read, "counter", "0", 20, 21).store(1, plain, history.Write, "counter", "2", 30, 31).release(1, 40, 41, history.OK)
	}
	control := mutex
	control.Control = true
	return []graded{
		{"a client that works without the lock, which is not to blame", bounded, func(b *build) {
			b.start(plain, "counter", "0").grant(1, 1, 0, 10, 2000).store(1, plain, history.Read, "counter", "0", 20, 21)
			b.holder[0] = history.Op{Lock: "L", Process: 2, Client: 2}
			b.store(0, plain, history.Read, "counter", "0", 22, 23).store(0, plain, history.Write, "counter", "1", 24, 25)
			b.store(1, plain, history.Write, "counter", "1", 30, 31).release(1, 40, 41, history.OK)
		}, checker.Unsafe, true, false, "without the lock"},
		{"overrun, plain store corrupt, no tokens", bounded, func(b *build) { sections(b, plain, true) }, checker.Unsafe, true, false, ""},
		{"overrun, stale write refused, fenced store correct", tokened, func(b *build) {
			sections(b, fencedS, false).stale(1, "counter", "1", 2300, 2301)
		}, checker.FencedG, false, false, ""},
		{"the same, with a plain store that is corrupt beside it", tokened, func(b *build) {
			sections(b, fencedS, false).stale(1, "counter", "1", 2300, 2301)
			b.start(plain, "counter", "0").store(1, plain, history.Write, "counter", "7", 2302, 2303)
		}, checker.FencedG, false, false, ""},
		{"overrun, but no stale operation reached the fence", tokened, func(b *build) {
			sections(b, fencedS, false).store(1, plain, history.Read, "y", "", 2300, 2301)
		}, checker.Unknown, false, false, "no stale operation"},
		{"overrun, tokens that nobody used", tokened, func(b *build) { sections(b, plain, true) }, checker.Unsafe, true, false, ""},
		{"overrun, the fenced store let it in", tokened, func(b *build) { sections(b, fencedS, true) }, checker.Unsafe, true, false, ""},
		{"overrun, stale write refused, but a token came twice", tokened, func(b *build) {
			sections(b, fencedS, false).stale(1, "counter", "1", 2300, 2301)
			b.release(2, 2400, 2401, history.OK).fenced(3, 3, 2402, 2410, 4400, 34)
		}, checker.Unsafe, true, false, ""},
		{"unsound tokens alone", tokened, func(b *build) {
			b.fenced(1, 1, 0, 10, 1000, 34).release(1, 20, 30, history.OK).fenced(2, 2, 40, 50, 1000, 33)
		}, checker.Unsafe, true, false, "fence is unsound"},
		{"corrupt, and nobody knows why", mutex, torn, checker.Unsafe, true, false, "cause not identified"},
		{"corrupt under the control: the harness itself", control, torn, checker.Unknown, false, true, "the harness is at fault"},
	}
}

// unbrokenGrades lists the grades of runs without an anomaly of the property.
func unbrokenGrades() []graded {
	few, nemesis := bounded, bounded
	few.MinGrants = 3
	nemesis.Nemeses = []string{"pause"}
	safe := func(b *build) {
		b.start(plain, "counter", "0").grant(1, 1, 0, 10, 2000)
		b.store(1, plain, history.Read, "counter", "0", 20, 21).store(1, plain, history.Write, "counter", "1", 30, 31)
		b.release(1, 40, 50, history.OK).grant(2, 2, 20, 60, 2050)
	}
	return []graded{
		{"nothing violated", bounded, safe, checker.Safe, false, false, ""},
		{"nothing violated, too few grants", few, safe, checker.Unknown, false, false, "2 grants, but the minimum is 3"},
		{"nothing violated, no fault", nemesis, safe, checker.Unknown, false, false, "pause was never injected"},
		{"nothing violated, a fault that did not bite", nemesis, func(b *build) {
			safe(b)
			b.fault("pause", 1, 1, "c1", 12, 30)
		}, checker.Unknown, false, false, "never took effect"},
		{"nothing happened", bounded, func(b *build) { b.until(1000) }, checker.Unknown, false, false, "0 grants"},
		{"safe beside a deadlock fails all the same", mutex, func(b *build) {
			b.grant(1, 1, 0, 10, 0).crash(1, 1000).try(2, 500, 9000, history.Fail, history.ByServer)
		}, checker.Safe, true, false, ""},
	}
}

func TestGrade(t *testing.T) {
	for _, tt := range slices.Concat(brokenGrades(), unbrokenGrades()) {
		t.Run(tt.name, func(t *testing.T) {
			b := newBuild()
			tt.make(b)
			r := checker.Check(b.history(t), tt.opt, invariant.Counter{})
			t.Log(r.Sentence)
			if r.Grade != tt.grade || r.Failed != tt.failed || r.Harness != tt.harness || !strings.Contains(r.Reason, tt.reason) || tt.reason == "" && r.Reason != "" {
				t.Errorf("grade %s, failed %v, harness %v, reason %q; want %s, %v, %v, %q",
					r.Grade, r.Failed, r.Harness, r.Reason, tt.grade, tt.failed, tt.harness, tt.reason)
			}
			if (r.Bound != "") != (r.Grade == checker.Safe) {
				t.Errorf("grade %s with the bound %q", r.Grade, r.Bound)
			}
		})
	}
}

func TestLinearizabilityTimeOutIsNoPass(t *testing.T) {
	b := newBuild()
	o := mutex
	o.Model = "no such model"
	b.grant(1, 1, 0, 10, 0).release(1, 20, 30, history.OK)
	if r := checker.Check(b.history(t), o, nil); r.Grade != checker.Unknown || !strings.Contains(r.Reason, "linearizability") {
		t.Errorf("%s, %s", r.Grade, r.Reason)
	}
}

func TestBites(t *testing.T) {
	unexpiring := mutex
	for _, tt := range []struct {
		name string
		opt  checker.Options
		make func(b *build)
		bit  int
	}{
		{"pause beyond the lease while another waits", bounded, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).fault("pause", 1, 1, "c1", 100, 2200).try(2, 500, 2300, history.Fail, history.ByServer)
		}, 1},
		{"the other had given up when the lease ended", bounded, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).fault("pause", 1, 1, "c1", 100, 2200).try(2, 500, 1900, history.Fail, history.ByServer)
		}, 0},
		{"pause within the lease", bounded, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).fault("pause", 1, 1, "c1", 100, 2000).try(2, 500, 2300, history.Fail, history.ByServer)
		}, 0},
		{"pause of a client that holds nothing", bounded, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).fault("pause", 1, 3, "c3", 100, 2200).try(2, 500, 2300, history.Fail, history.ByServer)
		}, 0},
		{"pause while only the holder itself asks", bounded, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).fault("pause", 1, 1, "c1", 100, 2200).try(1, 50, 2300, history.Fail, history.ByServer)
		}, 0},
		{"pause of any length where leases do not end", unexpiring, func(b *build) {
			b.grant(1, 1, 0, 10, 0).fault("pause", 1, 1, "c1", 100, 200).try(2, 150, 2300, history.Fail, history.ByServer)
		}, 1},
		{"pause, and nobody waits", unexpiring, func(b *build) {
			b.grant(1, 1, 0, 10, 0).fault("pause", 1, 1, "c1", 100, 200).try(2, 200, 2300, history.Fail, history.ByServer)
		}, 0},
		{"killed while it held, another asked later", unexpiring, func(b *build) {
			b.grant(1, 1, 0, 10, 0).crash(1, 100).fault(killed, 1, 1, "c1", 101, 102).try(2, 500, 600, history.Fail, history.ByServer)
		}, 1},
		{"killed while it held, nobody asked", unexpiring, func(b *build) {
			b.grant(1, 1, 0, 10, 0).crash(1, 100).fault(killed, 1, 1, "c1", 101, 102).until(900)
		}, 0},
		{"killed after its release", unexpiring, func(b *build) {
			b.grant(1, 1, 0, 10, 0).release(1, 20, 30, history.OK).crash(1, 100).fault(killed, 1, 1, "c1", 101, 102).try(2, 500, 600, history.Fail, history.ByServer)
		}, 0},
		{"a jump while a lease was held", bounded, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).fault("clock", 1, 0, "n1", 100, 200).release(1, 300, 310, history.OK)
		}, 1},
		{"a jump while nobody wanted the lock", bounded, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).release(1, 20, 30, history.OK).fault("clock", 1, 0, "n1", 100, 200)
		}, 0},
		{"a cut of a waiting client", bounded, func(b *build) {
			b.try(2, 50, 300, history.Info, "").fault("partition", 1, 2, "c2,n1", 100, 200)
		}, 1},
		{"a cut of an idle client", bounded, func(b *build) {
			b.try(2, 50, 300, history.Info, "").fault("partition", 1, 1, "c1,n1", 100, 200)
		}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBuild()
			tt.make(b)
			r := checker.Check(b.history(t), tt.opt, nil)
			if len(r.Faults) != 1 || r.Faults[0].Injected != 1 || r.Faults[0].Bit != tt.bit || r.Faults[0].Rule == "" {
				t.Errorf("%+v, want %d bit", r.Faults, tt.bit)
			}
		})
	}
}

func TestMissedFaultDoesNotCount(t *testing.T) {
	b := newBuild()
	b.grant(1, 1, 0, 10, 2000)
	b.h = append(b.h, history.Op{Time: 20 * ms, Process: history.Nemesis, Type: history.Fail, F: history.Fault, Key: "pause", Fault: 1, Error: "nobody there"})
	o := bounded
	o.Nemeses = []string{"pause"}
	r := checker.Check(b.history(t), o, nil)
	if len(r.Faults) != 1 || r.Faults[0].Injected != 0 || r.Counts.Faults != 0 {
		t.Errorf("%+v", r.Faults)
	}
}

func TestMeasures(t *testing.T) {
	b := newBuild()
	b.grant(1, 1, 0, 10, 0).release(1, 110, 115, history.OK)
	b.grant(2, 2, 60, 130, 0).release(2, 140, 145, history.OK) // overtakes c3
	b.grant(3, 3, 50, 150, 0).fault("latency", 1, 0, "n1", 120, 125)
	m := checker.Check(b.history(t), mutex, nil).Measures
	if m.OutOfOrder != 1 || m.Jain != 1 || m.Acquire.Max != 100*ms || m.Hold.P50 != 10*ms || m.Hold.Max != 100*ms || m.Recovery.Max != 10*ms {
		t.Errorf("%+v", m)
	}
	if time.Duration(m.Release.P99) != 5*time.Millisecond {
		t.Errorf("release %+v", m.Release)
	}
}

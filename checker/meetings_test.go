package checker_test

import (
	"strconv"
	"testing"
	"time"

	"locktorture/checker"
	"locktorture/history"
	"locktorture/locks"
)

var (
	latch   = checker.Options{Kind: locks.CountDownLatch, TTL: 2 * time.Second, FreeWithin: 3 * time.Second}
	barrier = checker.Options{Kind: locks.DoubleBarrier, TTL: 2 * time.Second, FreeWithin: 3 * time.Second}
	session = func() checker.Options { o := barrier; o.Bounded, o.Expires = true, true; return o }()
)

// A fresh process each, so that calls of one client may overlap.
func (b *build) meeting(f history.F, client int, party string, call, ret int64, t history.Type) *build {
	op := history.Op{F: f, Lock: "L.1", Process: 1000 + len(b.h), Client: client, Parties: 2, Value: party}
	return b.add(call, ret, op, t, nil)
}

func (b *build) count(party string, call, ret int64, t history.Type) *build {
	return b.meeting(history.CountDown, 1, party, call, ret, t)
}

func (b *build) await(call, ret int64, t history.Type) *build {
	return b.meeting(history.Await, 2, "", call, ret, t)
}

func TestLatch(t *testing.T) {
	early, twice, never := map[string]int{"early-open": 1}, map[string]int{"double-count": 1}, map[string]int{"never-open": 1}
	run(t, []row{
		{"after both", latch, nil, func(b *build) { b.count("a", 1, 2, history.OK).count("b", 3, 4, history.OK).await(1, 5, history.OK) }, nil},
		{"when the second had just called", latch, nil, func(b *build) { b.count("a", 1, 2, history.OK).count("b", 5, 6, history.OK).await(1, 5, history.OK) }, nil},
		{"before the second had called", latch, nil, func(b *build) { b.count("a", 1, 2, history.OK).count("b", 6, 7, history.OK).await(1, 5, history.OK) }, early},
		{"one of unknown outcome may count", latch, nil, func(b *build) { b.count("a", 1, 2, history.OK).count("b", 3, 4, history.Info).await(1, 5, history.OK) }, nil},
		{"one that was refused does not", latch, nil, func(b *build) { b.count("a", 1, 2, history.OK).count("b", 3, 4, history.Fail).await(1, 5, history.OK) }, early},
		{"one party twice", latch, nil, func(b *build) {
			b.count("a", 1, 2, history.Info).count("a", 3, 4, history.OK).await(1, 5, history.OK)
		}, twice},
		{"one party twice, and the other in time", latch, nil, func(b *build) {
			b.count("a", 1, 2, history.Info).count("a", 3, 4, history.OK).count("b", 5, 9, history.OK).await(1, 5, history.OK)
		}, nil},
		{"one party once and once refused", latch, nil, func(b *build) {
			b.count("a", 1, 2, history.Fail).count("a", 3, 4, history.OK).await(1, 5, history.OK)
		}, early},
		{"each that passes is one", latch, nil, func(b *build) { b.count("a", 1, 2, history.OK).await(1, 5, history.OK).await(1, 6, history.OK) }, map[string]int{"early-open": 2}},
		{"who gave up did not pass", latch, nil, func(b *build) { b.count("a", 1, 2, history.OK).await(1, 5000, history.Fail) }, nil},
		{"in vain, for as long as it may take", latch, nil, func(b *build) {
			b.count("a", 1, 2, history.OK).count("b", 3, 4, history.OK).await(1, 6604, history.Fail)
		}, nil},
		{"in vain, for longer", latch, nil, func(b *build) {
			b.count("a", 1, 2, history.OK).count("b", 3, 4, history.OK).await(1, 6605, history.Fail)
		}, never},
		{"it passed, but late", latch, nil, func(b *build) {
			b.count("a", 1, 2, history.OK).count("b", 3, 4, history.OK).await(1, 6605, history.OK)
		}, never},
		{"it passed, and may have been slow itself", latch, nil, func(b *build) {
			b.count("a", 1, 2, history.OK).count("b", 3, 4, history.OK).await(1, 6604, history.OK)
		}, nil},
		{"two of them have waited for longer", latch, nil, func(b *build) {
			b.count("a", 1, 2, history.OK).count("b", 3, 4, history.OK).await(1, 3305, history.OK).await(2, 3305, history.Fail)
		}, map[string]int{"never-open": 2}},
		{"one for longer, and the other not", latch, nil, func(b *build) {
			b.count("a", 1, 2, history.OK).count("b", 3, 4, history.OK).await(1, 3305, history.OK).await(2, 3304, history.Fail)
		}, nil},
		{"one after the other", latch, nil, func(b *build) {
			b.count("a", 1, 2, history.OK).count("b", 3, 4, history.OK).await(1, 3305, history.Fail).await(3400, 6701, history.Fail)
		}, map[string]int{"never-open": 2}},
		{"until the end of the history", latch, nil, func(b *build) {
			b.count("a", 1, 2, history.OK).count("b", 3, 4, history.OK).await(1, -1, history.OK).until(6605)
		}, never},
		{"one party had no answer: it may not have counted", latch, nil, func(b *build) {
			b.count("a", 1, 2, history.OK).count("b", 3, 4, history.Info).await(1, 9000, history.Fail)
		}, nil},
		{"who comes late counts from its call", latch, nil, func(b *build) {
			b.count("a", 1, 2, history.OK).count("b", 3, 4, history.OK).await(5, 6, history.OK).await(9000, 15600, history.Fail)
		}, nil},
		{"and longer than that", latch, nil, func(b *build) {
			b.count("a", 1, 2, history.OK).count("b", 3, 4, history.OK).await(5, 6, history.OK).await(9000, 15601, history.Fail)
		}, never},
		{"a fault was in place", latch, nil, func(b *build) {
			b.count("a", 1, 2, history.OK).count("b", 3, 4, history.OK).await(1, 9000, history.Fail).fault("cut", 1, 0, "n1", 6000, 6001)
		}, nil},
	})
}

func (b *build) party(client int, lease, call, ret int64) *build {
	return b.partyOf(2, client, lease, call, ret)
}

// partyOf is an entry into L; ret < 0: it never returned.
func (b *build) partyOf(n, client int, lease, call, ret int64) *build {
	from := len(b.h)
	b.grant(client, lease, call, ret, 0)
	for i := range b.h[from:] {
		b.h[from+i].Mode, b.h[from+i].Parties = history.Party, n
	}
	return b
}

func (b *build) gaveUp(client int, call, ret int64, t history.Type) *build {
	op := history.Op{F: history.Acquire, Lock: "L", Process: b.proc(client), Client: client, Mode: history.Party, Parties: 2}
	b.add(call, ret, op, t, nil)
	b.process[client] = b.proc(client) + 100
	return b
}

func TestBarrierEntries(t *testing.T) {
	early := map[string]int{"early-open": 1}
	run(t, []row{
		{"both have come", barrier, nil, func(b *build) { b.party(1, 1, 1, 3).party(2, 2, 2, 4) }, nil},
		{"the second just then", barrier, nil, func(b *build) { b.party(1, 1, 1, 3).party(2, 2, 3, 4) }, nil},
		{"the second later", barrier, nil, func(b *build) { b.party(1, 1, 1, 3).party(2, 2, 4, 5) }, map[string]int{"early-open": 2}},
		{"one that gave up may have been counted", barrier, nil, func(b *build) { b.party(1, 1, 1, 30).gaveUp(2, 2, 20, history.Info) }, nil},
		{"but not if it was refused", barrier, nil, func(b *build) { b.party(1, 1, 1, 30).gaveUp(2, 2, 20, history.Fail) }, early},
		{"one that is gone counts for as long as a session", barrier, nil, func(b *build) { b.gaveUp(2, 2, 20, history.Info).party(1, 1, 3320, 3330) }, nil},
		{"and no longer", barrier, nil, func(b *build) { b.gaveUp(2, 2, 20, history.Info).party(1, 1, 3321, 3330) }, early},
		{"it counts once", barrier, nil, func(b *build) {
			b.gaveUp(2, 2, 20, history.Info).party(1, 1, 1, 30).release(1, 31, 32, history.OK).party(1, 2, 40, 50)
		}, early},
		{"the next generation", barrier, nil, func(b *build) {
			b.party(1, 1, 1, 3).party(2, 2, 2, 4).release(1, 5, 7, history.OK).release(2, 6, 8, history.OK).party(1, 3, 8, 12).party(2, 4, 9, 11)
		}, nil},
		{"a generation ahead", barrier, nil, func(b *build) {
			b.party(1, 1, 1, 3).party(2, 2, 2, 4).release(1, 5, 7, history.OK).release(2, 6, 8, history.OK).party(1, 3, 8, 9)
		}, early},
		{"who is told late belongs to what was before", barrier, nil, func(b *build) {
			b.party(1, 1, 1, 3).party(2, 2, 2, 90).release(1, 5, 91, history.OK).release(2, 91, 92, history.OK)
		}, nil},
	})
}

func TestBarrierLeavings(t *testing.T) {
	early := map[string]int{"early-open": 1}
	in := func(b *build) *build { return b.party(1, 1, 1, 3).party(2, 2, 2, 4) }
	run(t, []row{
		{"both leave", barrier, nil, func(b *build) { in(b).release(1, 5, 7, history.OK).release(2, 6, 8, history.OK) }, nil},
		{"the other just then", barrier, nil, func(b *build) { in(b).release(1, 5, 7, history.OK).release(2, 7, 8, history.OK) }, nil},
		{"the other later", barrier, nil, func(b *build) { in(b).release(1, 5, 7, history.OK).release(2, 8, 9, history.OK) }, early},
		{"the other never", barrier, nil, func(b *build) { in(b).release(1, 5, 7, history.OK) }, early},
		{"the other was killed", barrier, nil, func(b *build) { in(b).crash(2, 6).release(1, 5, 7, history.OK) }, nil},
		{"its session was over", session, nil, func(b *build) {
			in(b).ask(2, 4, 4, 2004, 2004).release(1, 5, 2004, history.OK).release(2, 2100, 2101, history.Fail)
		}, nil},
		{"its session was not", session, nil, func(b *build) {
			in(b).ask(2, 4, 4, 2004, 2004).release(1, 5, 2003, history.OK).release(2, 2100, 2101, history.Fail)
		}, early},
		{"nobody says who was in the generation", barrier, nil, func(b *build) {
			b.gaveUp(3, 1, 2, history.Info)
			in(b).release(1, 5, 7, history.OK).release(2, 8, 9, history.OK)
		}, nil},
	})
}

func TestBarrierStandstill(t *testing.T) {
	never := map[string]int{"never-open": 1}
	run(t, []row{
		{"one waits for the other", barrier, nil, func(b *build) { b.party(1, 1, 1, -1).until(9000) }, nil},
		{"both wait", barrier, nil, func(b *build) { b.party(1, 1, 1, -1).party(2, 2, 10, -1).until(3311) }, never},
		{"not for so long", barrier, nil, func(b *build) { b.party(1, 1, 1, -1).party(2, 2, 10, -1).until(3310) }, nil},
		{"one gave up in between", barrier, nil, func(b *build) {
			b.party(1, 1, 1, -1).gaveUp(2, 10, 3000, history.Info).gaveUp(2, 3010, 6300, history.Info).until(6300)
		}, nil},
		{"one that gave up may be inside", barrier, nil, func(b *build) {
			b.gaveUp(3, 1, 2, history.Info).party(1, 1, 3, -1).party(2, 2, 10, -1).until(9000)
		}, nil},
		{"it was refused", barrier, nil, func(b *build) {
			b.gaveUp(3, 1, 2, history.Fail).party(1, 1, 3, -1).party(2, 2, 10, -1).until(9000)
		}, never},
		{"it was killed since", barrier, nil, func(b *build) {
			b.gaveUp(3, 1, 2, history.Info).party(1, 1, 3, -1).party(2, 2, 10, -1).crash(3, 100).until(3401)
		}, never},
		{"a session ago", barrier, nil, func(b *build) {
			b.gaveUp(3, 1, 2, history.Info).party(1, 1, 3, -1).party(2, 2, 10, -1).crash(3, 100).until(3400)
		}, nil},
		{"a fault was in place", barrier, nil, func(b *build) {
			b.party(1, 1, 1, -1).party(2, 2, 10, -1).fault("cut", 1, 0, "n1", 2000, 2001).until(5301)
		}, nil},
		{"and then too long", barrier, nil, func(b *build) {
			b.party(1, 1, 1, -1).party(2, 2, 10, -1).fault("cut", 1, 0, "n1", 2000, 2001).until(5302)
		}, never},
		{"one leaves while the other works", barrier, nil, func(b *build) {
			b.party(1, 1, 1, 3).party(2, 2, 2, 4).release(1, 5, 9001, history.OK).release(2, 9000, 9002, history.OK)
		}, nil},
		{"both leave, and neither can", barrier, nil, func(b *build) {
			b.party(1, 1, 1, 3).party(2, 2, 2, 4).release(1, 5, -1, history.OK).release(2, 6, -1, history.OK).until(3307)
		}, never},
		{"the other died inside: until its session is over, and the one call that waits may have been slow itself", barrier, nil, func(b *build) {
			b.party(1, 1, 1, 3).party(2, 2, 2, 4).crash(2, 100).release(1, 5, 6700, history.OK)
		}, nil},
		{"and no longer", barrier, nil, func(b *build) {
			b.party(1, 1, 1, 3).party(2, 2, 2, 4).crash(2, 100).release(1, 5, 6702, history.OK)
		}, never},
	})
}

// In a run of latches faults matter to those who wait, and a pass counts as a grant.
func TestLatchRun(t *testing.T) {
	o := latch
	o.Model, o.Nemeses, o.MinGrants = "latch", []string{"pause"}, 10
	b := newBuild()
	for n := int64(0); n < 10; n++ {
		from := len(b.h)
		b.count("a", 1+10*n, 2+10*n, history.OK).count("b", 3+10*n, 4+10*n, history.OK).await(1+10*n, 5+10*n, history.OK)
		for i := range b.h[from:] {
			b.h[from+i].Lock = "L." + strconv.FormatInt(n, 10)
		}
	}
	b.fault("pause", 1, 1, "c1", 51, 54)
	r := checker.Check(b.history(t), o, nil)
	if r.Grade != checker.Safe || r.Counts.Grants != 10 || r.Counts.Bites != 1 {
		t.Errorf("%s %s, %d grants, %d bites, want safe, 10 and 1", r.Grade, r.Sentence, r.Counts.Grants, r.Counts.Bites)
	}
	for _, p := range r.Properties {
		if p.Name == checker.Linearizability && p.Status != checker.Kept {
			t.Errorf("%s: %s", p.Status, p.Reason)
		}
	}
}

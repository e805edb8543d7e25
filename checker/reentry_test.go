package checker_test

import (
	"testing"

	"locktorture/checker"
	"locktorture/history"
)

// again may be entered again; its leases do not end by themselves and have tokens.
var again = func() checker.Options {
	o := mutex
	o.Model, o.Reentrant, o.Tokens = "mutex", true, true
	return o
}()

// againLease has leases of 2 s, which declare it.
var againLease = func() checker.Options { o := tokened; o.Reentrant = true; return o }()

// reenter is a re-entry of the holder of a lease: the server keeps its name.
func (b *build) reenter(outer, inner, call, ret, until int64, token uint64) *build {
	op := b.holder[outer]
	op.Process = b.proc(op.Client)
	b.holder[inner], b.token[inner] = op, token
	b.add(call, ret, op, history.OK, func(o *history.Op) { o.Lease, o.Token, o.Value = inner, token, "p1:1" })
	if until > 0 {
		b.ask(inner, ret, ret, until, until)
	}
	return b
}

// TestReentry: c1 holds lease 1 with token 7 from 10 to 900.
func TestReentry(t *testing.T) {
	outer := func(b *build) *build { return b.fenced(1, 1, 0, 10, 0, 7).release(1, 890, 900, history.OK) }
	held := func(b *build, until int64) *build {
		return b.fenced(1, 1, 0, 10, 0, 7).release(1, until, until+10, history.OK)
	}
	givesUp := func(b *build, ret int64) *build {
		return held(b, 2000).try(1, 100, ret, history.Fail, history.ByTime).try(1, 1000, 900+ret, history.Fail, history.ByTime)
	}
	twice := map[string]int{"self-deadlock": 2}
	leased := func(b *build) *build { return b.fenced(1, 1, 0, 10, 2000, 7).release(1, 890, 900, history.OK) }
	stale := map[string]int{"token-changed": 1}
	stuck := map[string]int{"self-deadlock": 1}
	run(t, []row{
		{"twice inside, and out again", again, nil, func(b *build) {
			outer(b).reenter(1, 2, 100, 110, 0, 7).reenter(1, 3, 120, 130, 0, 7).release(3, 200, 210, history.OK).release(2, 300, 310, history.OK)
			b.fenced(2, 4, 50, 910, 0, 8)
		}, nil},
		{"after an unknown answer, as the client's next process", againLease, nil, func(b *build) {
			b.fenced(1, 1, 0, 10, 2000, 7).add(20, 30, b.under(1, history.Ask), history.Info, nil)
			b.process[1] = 101
			b.reenter(1, 2, 100, 110, 2000, 7).release(2, 200, 210, history.OK).release(1, 300, 310, history.OK)
		}, nil},
		{"the same, as the outer lease was over", againLease, nil, func(b *build) {
			b.fenced(1, 1, 0, 10, 2000, 7).add(20, 30, b.under(1, history.Ask), history.Info, nil)
			b.process[1] = 101
			b.reenter(1, 2, 2010, 2020, 4000, 7).release(2, 2200, 2210, history.OK).release(1, 2300, 2310, history.OK)
		}, nil},
		{"by the next process after a kill: this is no re-entry", again, nil, func(b *build) {
			b.fenced(1, 1, 0, 10, 0, 7).crash(1, 50).fenced(1, 2, 100, 110, 0, 7).release(2, 200, 210, history.OK)
		}, map[string]int{"token-duplicate": 1}},
		{"the inner release let another in", again, nil, func(b *build) {
			outer(b).reenter(1, 2, 100, 110, 0, 7).release(2, 200, 210, history.OK).fenced(2, 3, 50, 215, 0, 8).release(3, 880, 889, history.OK)
		}, map[string]int{"double-grant": 1, "nonlinearizable": 1}},
		{"the outer release did not", again, nil, func(b *build) {
			outer(b).reenter(1, 2, 100, 110, 0, 7).release(2, 200, 210, history.OK).try(2, 50, 4400, history.Fail, history.ByTime)
		}, map[string]int{"deadlock": 1}},
		{"a token of its own", again, nil, func(b *build) { outer(b).reenter(1, 2, 100, 110, 0, 8).release(2, 200, 210, history.OK) }, stale},
		{"a token of its own, of a lease", againLease, nil, func(b *build) { leased(b).reenter(1, 2, 100, 110, 2000, 8).release(2, 200, 210, history.OK) }, stale},
		{"a token of its own, as the outer lease was over", againLease, nil, func(b *build) {
			b.fenced(1, 1, 0, 10, 2000, 7).reenter(1, 2, 1990, 2001, 4000, 8).release(2, 2100, 2110, history.OK).release(1, 2120, 2130, history.Fail)
		}, nil},
		{"an entry while the outer lease is over, which is valid again after it: no fence can tell them apart", againLease, nil, func(b *build) {
			b.start(history.Fenced, "counter", "0").fenced(1, 1, 0, 2005, 2000, 7).reenter(1, 2, 2010, 2020, 4010, 7)
			b.store(2, history.Fenced, history.Read, "counter", "0", 2030, 2040).release(2, 2050, 2060, history.OK)
			b.ask(1, 2070, 2071, 4010, 4020).store(1, history.Fenced, history.Write, "counter", "1", 2080, 2090).release(1, 2100, 2110, history.OK)
		}, nil},
		{"the same, and another was granted the lock before it", againLease, nil, func(b *build) {
			b.start(history.Fenced, "counter", "0").fenced(1, 1, 0, 10, 2000, 7).fenced(2, 3, 2001, 2005, 4000, 8)
			b.store(3, history.Fenced, history.Read, "counter", "0", 2006, 2007).release(3, 2008, 2009, history.OK).reenter(1, 2, 2010, 2020, 4010, 7)
			b.store(2, history.Fenced, history.Read, "counter", "0", 2030, 2040).release(2, 2050, 2060, history.OK)
			b.ask(1, 2070, 2071, 4010, 4020).store(1, history.Fenced, history.Write, "counter", "1", 2080, 2090).release(1, 2100, 2110, history.OK)
		}, map[string]int{"token-regression": 1, "stale-accepted": 1, "double-grant": 1, "nonlinearizable": 1}},
		{"an entry that was answered when the outer lease was over", againLease, nil, func(b *build) {
			b.start(history.Fenced, "counter", "0").fenced(1, 1, 0, 10, 2000, 7).reenter(1, 2, 1990, 2010, 4010, 7)
			b.store(2, history.Fenced, history.Read, "counter", "0", 2020, 2030).release(2, 2040, 2050, history.OK)
			b.ask(1, 2070, 2071, 4010, 4020).store(1, history.Fenced, history.Write, "counter", "1", 2080, 2090).release(1, 2100, 2110, history.OK)
		}, nil},
		{"both entries use the fenced store", again, nil, func(b *build) {
			b.start(history.Fenced, "counter", "0")
			outer(b).reenter(1, 2, 100, 110, 0, 7).store(2, history.Fenced, history.Read, "counter", "0", 120, 130).release(2, 200, 210, history.OK)
			b.store(1, history.Fenced, history.Write, "counter", "1", 300, 310)
		}, nil},
		{"the fenced store lets the inner entry in and the outer not", again, nil, func(b *build) {
			b.start(history.Fenced, "counter", "0")
			outer(b).reenter(1, 2, 100, 110, 0, 7).store(2, history.Fenced, history.Read, "counter", "0", 120, 130).release(2, 200, 210, history.OK)
			b.stale(1, "counter", "1", 300, 310)
		}, map[string]int{"fence-lockout": 1}},
		{"refused", again, nil, func(b *build) { outer(b).try(1, 100, 110, history.Fail, history.ByServer) }, stuck},
		{"refused, where nobody may enter again", func() checker.Options { o := again; o.Reentrant = false; return o }(), nil, func(b *build) {
			outer(b).try(1, 100, 110, history.Fail, history.ByServer)
		}, nil},
		{"refused while a server was down", again, nil, func(b *build) {
			outer(b).try(1, 100, 110, history.Fail, history.ByServer).fault("restart", 1, 0, "n1", 50, 105)
		}, nil},
		{"let in late: it was let in", again, nil, func(b *build) { held(b, 8000).reenter(1, 2, 100, 6700, 0, 7).release(2, 6800, 6810, history.OK) }, nil},
		{"let in so late that no request takes as long", again, nil, func(b *build) {
			held(b, 8000).reenter(1, 2, 100, 6701, 0, 7).release(2, 6800, 6810, history.OK)
		}, stuck},
		{"given up once: it may have been slow itself", again, nil, func(b *build) { outer(b).try(1, 100, 601, history.Fail, history.ByTime) }, nil},
		{"given up twice", again, nil, func(b *build) { givesUp(b, 601) }, twice},
		{"given up soon: nobody refused it", again, nil, func(b *build) { givesUp(b, 600) }, nil},
		{"given up twice, once as it was stopped", again, nil, func(b *build) { givesUp(b, 601).fault("pause", 1, 1, "c1", 200, 500) }, nil},
		{"given up twice, once as the machine stood still", again, nil, func(b *build) { givesUp(b, 601).stall(200, 260) }, nil},
		{"given up twice, and the machine stood still for long soon after", again, nil, func(b *build) { givesUp(b, 850).stall(2500, 2600) }, nil},
		{"answered late, when its lease was over", againLease, nil, func(b *build) {
			b.fenced(1, 1, 0, 10, 2000, 7).reenter(1, 2, 1400, 2400, 4400, 8).release(2, 2500, 2510, history.OK).release(1, 2520, 2530, history.Fail)
		}, nil},
		{"refused as its lease was over", againLease, nil, func(b *build) {
			b.fenced(1, 1, 0, 10, 2000, 7).try(1, 1900, 2000, history.Fail, history.ByServer).release(1, 2120, 2130, history.Fail)
		}, nil},
		{"it waited for the end of its own lease, twice", againLease, nil, func(b *build) {
			b.fenced(1, 1, 0, 10, 2000, 7).reenter(1, 2, 100, 2010, 4000, 8).release(2, 2100, 2110, history.OK).release(1, 2120, 2130, history.Fail)
			b.fenced(1, 3, 3000, 3010, 5000, 9).reenter(3, 4, 3100, 5010, 7000, 10).release(4, 5100, 5110, history.OK).release(3, 5120, 5130, history.Fail)
		}, twice},
		{"refused when its lease was over", againLease, nil, func(b *build) {
			b.fenced(1, 1, 0, 10, 2000, 7).fenced(2, 3, 2001, 2005, 4005, 8).try(1, 1995, 2006, history.Fail, history.ByServer).release(1, 2120, 2130, history.Fail)
		}, nil},
		{"the servers keep the outer lease in the name of both", againLease, nil, func(b *build) {
			leased(b).reenter(1, 2, 100, 110, 2000, 7).release(2, 200, 210, history.OK)
			b.probe(120, "p1:1", 2000).probe(300, "p1:1", 2000).probe(500, "p1:1", 2000).probe(950, "", 0)
		}, nil},
		{"and keep it after the last release", againLease, nil, func(b *build) {
			leased(b).reenter(1, 2, 100, 110, 2000, 7).release(2, 200, 210, history.OK)
			b.probe(120, "p1:1", 2000).probe(950, "p1:1", 2000).probe(1050, "p1:1", 2000)
		}, map[string]int{"orphan": 1}},
	})
}

// TestReentryIsNoTurn: who enters again overtakes nobody.
func TestReentryIsNoTurn(t *testing.T) {
	o := ordered
	o.Reentrant = true
	run(t, []row{{"a long hold with a re-entry at its end", o, nil, func(b *build) {
		b.served(1, 1, 0).grant(2, 2, 50, 60, 0)
		b.reenter(2, 3, 600, 610, 0, 0).release(3, 620, 630, history.OK).release(2, 640, 650, history.OK).grant(1, 4, 100, 660, 0)
	}, nil}})
}

package checker_test

import (
	"testing"

	"locktorture/history"
)

const plain, fencedS = history.Plain, history.Fenced

func TestDoubleGrant(t *testing.T) {
	one := map[string]int{"double-grant": 1}
	run(t, []row{
		{"returned 1 ms before the validity ended", bounded, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).grant(2, 2, 1000, 1999, 3900)
		}, one},
		{"returned when it ended", bounded, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).grant(2, 2, 1000, 2000, 3900)
		}, nil},
		{"inside until_max but after until_min is nobody's fault", bounded, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 0).ask(1, 10, 30, 2000, 2020).grant(2, 2, 1000, 2010, 3900)
		}, nil},
		{"released before", bounded, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).release(1, 500, 600, history.OK).grant(2, 2, 100, 501, 2400)
		}, nil},
		{"returned before the release was called", bounded, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).release(1, 500, 600, history.Fail).grant(2, 2, 100, 499, 2400)
		}, one},
		{"crashed before", bounded, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).crash(1, 400).grant(2, 2, 100, 401, 2400)
		}, nil},
		{"seen alive after, then crashed", bounded, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).ask(1, 402, 402, 2000, 2000).crash(1, 500).grant(2, 2, 100, 401, 2400)
		}, one},
		{"may have been dead before its crash was recorded", bounded, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).crash(1, 402).grant(2, 2, 100, 401, 2400)
		}, nil},
		{"the kill was sent after", bounded, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).crash(1, 410).grant(2, 2, 100, 401, 2400)
			for i := range b.h {
				if b.h[i].F == history.Crash {
					b.h[i].UntilMin = 402 * ms
				}
			}
		}, one},
		{"its loss was told before", bounded, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).over(1, 300, 301).grant(2, 2, 100, 401, 2400)
		}, nil},
		{"a renewal moved the validity", bounded, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).ask(1, 1500, 1500, 3500, 3500).grant(2, 2, 100, 3000, 4900)
		}, one},
		{"a later answer took the validity back in time", bounded, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).ask(1, 500, 500, 900, 900).grant(2, 2, 100, 950, 2900)
		}, nil},
		{"never told: promises nothing", bounded, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 0).grant(2, 2, 100, 950, 2900)
		}, nil},
		{"the second was over when it was first asked: it promised nothing", bounded, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).grant(2, 2, 5, 950, 0).over(2, 950, 951)
		}, nil},
		{"it was over too early to be honest, which is no double grant either", bounded, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).grant(2, 2, 5, 15, 0).over(2, 16, 17)
		}, map[string]int{"void-grant": 1}},
		{"no validity and no notice: held until release", mutex, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 0).release(1, 9000, 9001, history.OK).grant(2, 2, 100, 8999, 0)
		}, one},
		{"no validity and no notice: released", mutex, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 0).release(1, 9000, 9001, history.OK).grant(2, 2, 100, 9000, 0)
		}, nil},
		{"its own process may take it again", mutex, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 0).grant(1, 2, 20, 30, 0)
		}, nil},
		{"a re-entry does not hide the longer lease below it", mutex, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 0).grant(1, 2, 20, 30, 0).release(2, 40, 41, history.OK).grant(2, 3, 0, 50, 0)
		}, one},
		{"a third grant is compared with the longest promise", bounded, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).grant(2, 2, 20, 30, 1000).grant(3, 3, 20, 1500, 3400)
		}, map[string]int{"double-grant": 2}},
	})
}

func TestLateNotice(t *testing.T) {
	// Releases of 10 ms set the round trip.
	start := func(b *build) *build {
		b.grant(3, 90, 0, 1, 0).release(90, 2, 12, history.OK)
		return b.grant(1, 1, 20, 30, 0).grant(2, 2, 100, 2500, 0)
	}
	one := map[string]int{"late-notice": 1}
	reentrant := watched
	reentrant.Reentrant = true
	// c1 is granted while c2, which was granted before, is stopped.
	overtaken := func(b *build, older, newer uint64, from, to int64) *build {
		b.grant(3, 90, 0, 1, 0).release(90, 2, 12, history.OK).fault("pause", 1, 2, "c2", from, to)
		return b.fenced(2, 2, 20, 4005, 0, older).fenced(1, 1, 30, 2500, 0, newer)
	}
	run(t, []row{
		{"told a round trip and two unseen stalls after the other grant", watched, nil, func(b *build) { start(b).lost(1, 2520) }, nil},
		{"told later than that", watched, nil, func(b *build) { start(b).lost(1, 2521) }, one},
		{"told before", watched, nil, func(b *build) { start(b).lost(1, 2499) }, nil},
		{"the stopped time does not count", watched, nil, func(b *build) {
			start(b).fault("pause", 1, 1, "c1", 200, 4000).lost(1, 4020)
		}, nil},
		{"but what follows it does", watched, nil, func(b *build) {
			start(b).fault("pause", 1, 1, "c1", 200, 4000).lost(1, 4021)
		}, one},
		{"another's stop is no excuse", watched, nil, func(b *build) {
			start(b).fault("pause", 1, 3, "c3", 200, 4000).lost(1, 4010)
		}, one},
		{"a stall of the machine does not count, and may be followed by two that nobody saw", watched, nil, func(b *build) {
			start(b).stall(2500, 2530).lost(1, 2600)
		}, nil},
		{"but what follows those does", watched, nil, func(b *build) { start(b).stall(2500, 2530).lost(1, 2601) }, one},
		{"a stall some seconds away tells what may have befallen others", watched, nil, func(b *build) {
			start(b).stall(4470, 4499).lost(1, 2568)
		}, nil},
		{"one further away does not", watched, nil, func(b *build) { start(b).stall(4570, 4599).lost(1, 2568) }, one},
		{"a stall while it was stopped counts once", watched, nil, func(b *build) {
			start(b).fault("pause", 1, 1, "c1", 200, 4000).stall(3000, 3020).lost(1, 4051)
		}, one},
		{"the other's grant is older: its answer was late", watched, nil, func(b *build) {
			overtaken(b, 4, 5, 100, 4000).lost(2, 4010).release(1, 4500, 4501, history.OK)
		}, nil},
		{"then it is the other that must be told", watched, nil, func(b *build) {
			overtaken(b, 4, 5, 100, 4000).lost(2, 4026).release(1, 4500, 4501, history.OK)
		}, one},
		{"the other's grant is newer, though it was stopped meanwhile", watched, nil, func(b *build) {
			overtaken(b, 5, 4, 2600, 4000).release(2, 4010, 4011, history.OK).release(1, 4500, 4501, history.Fail)
		}, one},
		{"a third grant is surely newer", watched, nil, func(b *build) {
			overtaken(b, 4, 5, 100, 4000).lost(2, 4010).fenced(3, 3, 20, 4200, 0, 6).lost(3, 4250).release(1, 4500, 4501, history.OK)
		}, one},
		{"without tokens, stopped since before: either may be older", watched, nil, func(b *build) {
			overtaken(b, 0, 0, 100, 4000).release(2, 4010, 4011, history.Fail).release(1, 4500, 4501, history.OK)
		}, nil},
		{"without tokens, running for long enough after the grant", watched, nil, func(b *build) {
			overtaken(b, 0, 0, 2540, 4000).release(2, 4010, 4011, history.Fail).release(1, 4500, 4501, history.Fail)
		}, one},
		{"without tokens, its answer may have been held back", watched, nil, func(b *build) {
			overtaken(b, 0, 0, 100, 101).fault("hold", 2, 2, "c2", 2510, 4000).release(2, 4010, 4011, history.Fail).release(1, 4500, 4501, history.OK)
		}, nil},
		{"a re-entry is as old as its holder's grant, whatever was granted before it", reentrant, nil, func(b *build) {
			b.fenced(1, 1, 20, 30, 0, 1).fenced(2, 2, 40, 2000, 0, 2).release(2, 2005, 2010, history.OK)
			b.grant(3, 3, 35, 2100, 0).release(3, 2101, 2102, history.OK).fenced(1, 4, 2200, 2210, 0, 1).lost(4, 3000).lost(1, 3000)
		}, map[string]int{"late-notice": 2}},
		{"never told", watched, nil, func(b *build) { start(b).until(3000) }, one},
		{"released before", watched, nil, func(b *build) { start(b).release(1, 2500, 2505, history.OK) }, nil},
		{"a bounded lease has its own rule", boundedToo, nil, func(b *build) { start(b).lost(1, 2900) }, nil},
	})
}

func TestOverrun(t *testing.T) {
	one := map[string]int{"overrun": 1}
	run(t, []row{
		{"invoked after until_max", bounded, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).store(1, plain, history.Write, "x", "1", 2001, 2002)
		}, one},
		{"invoked at until_max", bounded, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).store(1, plain, history.Write, "x", "1", 2000, 2002)
		}, nil},
		{"between until_min and until_max", bounded, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 0).ask(1, 10, 40, 2000, 2030).store(1, plain, history.Write, "x", "1", 2020, 2021)
		}, nil},
		{"between them, but another had been granted", bounded, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 0).ask(1, 10, 40, 2000, 2030).grant(2, 2, 50, 2010, 4000).store(1, plain, history.Write, "x", "1", 2020, 2021)
		}, one},
		{"renewed since the last answer", bounded, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).renew(1, 1500, 1510).store(1, plain, history.Write, "x", "1", 2500, 2501)
		}, nil},
		{"a refusal by its own guard was never sent", bounded, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 2000)
			op := b.under(1, history.Write)
			op.Store, op.Key = plain, "L/x"
			b.add(2500, 2501, op, history.Fail, func(o *history.Op) { o.Refused = history.ByClient })
		}, nil},
		{"while the promise lasts the lock is to blame, not the holder", bounded, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).grant(2, 2, 50, 1000, 3000).store(1, plain, history.Write, "x", "1", 1500, 1501)
		}, map[string]int{"double-grant": 1}},
		{"sent in time, landed after the next holder's", bounded, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).grant(2, 2, 50, 2100, 4000)
			b.store(2, plain, history.Write, "x", "2", 2200, 2201)
			b.store(1, plain, history.Write, "x", "1", 1900, 2300)
		}, one},
		{"sent in time, landed before the next holder's", bounded, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).grant(2, 2, 50, 2100, 4000)
			b.store(1, plain, history.Write, "x", "1", 1900, 2300)
			b.store(2, plain, history.Write, "x", "2", 2200, 2201)
		}, nil},
		{"watched: stopped, so it could not be told; went on after another grant", watched, nil, func(b *build) {
			b.grant(1, 1, 20, 30, 0).grant(2, 2, 100, 2500, 0).fault("pause", 1, 1, "c1", 200, 4000)
			b.store(1, plain, history.Write, "x", "1", 4000, 4001).lost(1, 4005)
		}, one},
		{"watched: the loss was told, nobody else was granted", watched, nil, func(b *build) {
			b.grant(1, 1, 20, 30, 0).lost(1, 500).store(1, plain, history.Write, "x", "1", 600, 601)
		}, nil},
		{"watched: loss told, another granted, went on", watched, nil, func(b *build) {
			b.grant(1, 1, 20, 30, 0).lost(1, 500).grant(2, 2, 30, 550, 0).store(1, plain, history.Write, "x", "1", 600, 601)
		}, one},
	})
}

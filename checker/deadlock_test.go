package checker_test

import (
	"strings"
	"testing"
	"time"

	"locktorture/checker"
	"locktorture/history"
	"locktorture/locks"
)

// mutex: FreeWithin 3 s and 300 ms of slack, Retry 50 ms, leases do not end by themselves.
func TestDeadlock(t *testing.T) {
	one := map[string]int{"deadlock": 1}
	held := func(b *build) *build { return b.grant(1, 1, 0, 10, 0).crash(1, 1000) }
	brief := mutex
	brief.FreeWithin = time.Second
	run(t, []row{
		{"a short time has a slack of 250 ms", brief, nil, func(b *build) { held(b).try(2, 500, 2300, history.Fail, history.ByTime) }, nil},
		{"and no more", brief, nil, func(b *build) { held(b).try(2, 500, 2301, history.Fail, history.ByTime) }, one},
		{"waited in vain longer than it may last", mutex, nil, func(b *build) { held(b).try(2, 500, 4351, history.Fail, history.ByTime) }, one},
		{"exactly as long", mutex, nil, func(b *build) { held(b).try(2, 500, 4350, history.Fail, history.ByTime) }, nil},
		{"refused much later without waiting", mutex, nil, func(b *build) { held(b).refused(2, 4301, 4302) }, one},
		{"refused no later than that", mutex, nil, func(b *build) { held(b).refused(2, 4300, 4302) }, nil},
		{"refused when another called", mutex, nil, func(b *build) { held(b).refused(2, 4301, 4302).try(3, 4302, -1, "", "") }, nil},
		{"refused just before another called", mutex, nil, func(b *build) { held(b).refused(2, 4301, 4302).try(3, 4303, -1, "", "") }, one},
		{"refused when a fault came", mutex, nil, func(b *build) { held(b).fault("partition", 1, 2, "c2", 4302, -1).refused(2, 4302, 4302) }, nil},
		{"refused before it came", mutex, nil, func(b *build) { held(b).refused(2, 4301, 4302).fault("partition", 1, 2, "c2", 4302, -1) }, one},
		{"gave up at once: nobody can have answered that soon", mutex, nil, func(b *build) { held(b).try(2, 8000, 8350, history.Fail, history.ByTime) }, nil},
		{"still waiting when the history ended", mutex, nil, func(b *build) { held(b).try(2, 500, -1, "", "").until(7651) }, one},
		{"the call itself may have been slow", mutex, nil, func(b *build) { held(b).try(2, 500, -1, "", "").until(7650) }, nil},
		{"of two nobody was slow", mutex, nil, func(b *build) { held(b).try(2, 500, -1, "", "").try(3, 600, -1, "", "").until(4701) }, one},
		{"two, of whom one was refused too soon", mutex, nil, func(b *build) {
			held(b).try(2, 500, -1, "", "").try(3, 600, 4300, history.Fail, history.ByTime).until(7650)
		}, nil},
		{"refused late: perhaps no server answered", mutex, nil, func(b *build) { held(b).try(2, 500, 7650, history.Fail, history.ByServer) }, nil},
		{"refused too late for that", mutex, nil, func(b *build) { held(b).try(2, 500, 7651, history.Fail, history.ByServer) }, one},
		{"refused late without waiting", mutex, nil, func(b *build) { held(b).refused(2, 4301, 4652) }, nil},
		{"refused just in time", mutex, nil, func(b *build) { held(b).refused(2, 4301, 4651) }, one},
		{"no server answered a look for long", mutex, nil, func(b *build) {
			held(b).probe(1500, "", 0).probe(2501, "", 0).try(2, 500, 5851, history.Fail, history.ByTime)
		}, nil},
		{"longer than that after the next answer", mutex, nil, func(b *build) {
			held(b).probe(1500, "", 0).probe(2501, "", 0).try(2, 500, 5852, history.Fail, history.ByTime)
		}, one},
		{"answered often enough", mutex, nil, func(b *build) {
			held(b).probe(1500, "", 0).probe(2500, "", 0).try(2, 500, 4351, history.Fail, history.ByTime)
		}, one},
		{"granted in time", mutex, nil, func(b *build) { held(b).grant(2, 2, 500, 4000, 0).until(9000) }, nil},
		{"granted late: the call itself may have been slow", mutex, nil, func(b *build) { held(b).grant(2, 2, 500, 7650, 0) }, nil},
		{"granted too late", mutex, nil, func(b *build) { held(b).grant(2, 2, 500, 7651, 0) }, one},
		{"granted late because nobody asked", mutex, nil, func(b *build) { held(b).grant(2, 2, 9000, 9010, 0) }, nil},
		{"nobody asked", mutex, nil, func(b *build) { held(b).until(9000) }, nil},
		{"its own guard refused", mutex, nil, func(b *build) { held(b).try(2, 500, 9000, history.Fail, history.ByClient) }, nil},
		{"released, and taken by nobody", mutex, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 0).release(1, 900, 1000, history.OK).try(2, 500, 4351, history.Fail, history.ByTime)
		}, one},
		{"a stopped holder is alive", mutex, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 0).fault("pause", 1, 1, "c1", 20, 8000).try(2, 500, 8001, history.Fail, history.ByTime)
		}, nil},
		{"a fault was in place", mutex, nil, func(b *build) {
			held(b).fault("partition", 1, 2, "c2", 1500, 2000).try(2, 500, 5350, history.Fail, history.ByTime)
		}, nil},
		{"longer than that after the heal", mutex, nil, func(b *build) {
			held(b).fault("partition", 1, 2, "c2", 1500, 2000).try(2, 500, 5351, history.Fail, history.ByTime)
		}, one},
		{"a kill is nothing that stays in place", mutex, nil, func(b *build) {
			held(b).fault(killed, 1, 1, "c1", 1001, 1200).fault(killed, 2, 3, "c3", 3000, 3100).try(2, 500, 4351, history.Fail, history.ByTime)
		}, one},
		{"a fault that begins before its effect is seen", mutex, nil, func(b *build) {
			held(b).early("failover", 1, "n1", 1500, 2000).try(2, 500, 5350, history.Fail, history.ByTime)
		}, nil},
		{"and longer than that after it", mutex, nil, func(b *build) {
			held(b).early("failover", 1, "n1", 1500, 2000).try(2, 500, 5351, history.Fail, history.ByTime)
		}, one},
		{"the machine's own stalls do not count", mutex, nil, func(b *build) {
			held(b).stall(1500, 1800).stall(2000, 2200).try(2, 500, 4850, history.Fail, history.ByTime)
		}, nil},
		{"all else does", mutex, nil, func(b *build) {
			held(b).stall(500, 900).stall(1500, 1800).stall(2000, 2200).stall(5000, 9000).try(2, 500, 4851, history.Fail, history.ByTime)
		}, one},
		{"never granted at all", mutex, nil, func(b *build) { b.try(2, 0, 3351, history.Fail, history.ByTime) }, one},
	})
}

// TestDeadlockTime: a deadlock is known as soon as there is evidence enough, whatever is asked
// in vain after that.
func TestDeadlockTime(t *testing.T) {
	held := func(b *build) *build { return b.grant(1, 1, 0, 10, 0).crash(1, 1000) }
	free := func(b *build) *build { return b.grant(1, 1, 0, 10, 0).release(1, 900, 1000, history.OK) }
	for _, r := range []struct {
		name string
		opt  checker.Options
		make func(b *build)
		at   int64 // ns
		says string
	}{
		{"one that waits for long", mutex, func(b *build) { held(b).try(2, 500, 20000, history.Fail, history.ByTime) }, 4350*ms + 1, "c2 was still waiting for L"},
		{"and is granted it", mutex, func(b *build) { held(b).grant(2, 2, 500, 20000, 0) }, 7650*ms + 1, "c2 was still waiting for L"},
		{"granted just then", mutex, func(b *build) { held(b).grant(2, 2, 500, 7651, 0) }, 7650*ms + 1, "c2 was still waiting for L"},
		{"whose end nobody knows", mutex, func(b *build) { free(b).try(2, 500, 20000, history.Info, "") }, 7650*ms + 1, "c2 was still waiting for L"},
		{"others who wait later", mutex, func(b *build) {
			held(b).try(2, 500, 2650, history.Fail, history.ByTime).try(3, 9000, 11000, history.Fail, history.ByTime).try(4, 12000, 20000, history.Fail, history.ByTime)
		}, 10750*ms + 1, "c3 was still waiting for L"},
		{"complete before a short wait has shown that it is long enough", mutex, func(b *build) {
			held(b).try(2, 500, 4250, history.Fail, history.ByTime).try(3, 5000, 6000, history.Fail, history.ByTime)
		}, 5350*ms + 1, "c3 was still waiting for L"},
		{"stalls count up to then", mutex, func(b *build) {
			held(b).stall(1500, 2000).stall(6000, 8000).try(2, 500, 20000, history.Fail, history.ByTime)
		}, 4850*ms + 1, "c2 was still waiting for L"},
		{"refused", mutex, func(b *build) { held(b).refused(2, 4301, 4302).try(3, 5000, 20000, history.Fail, history.ByTime) }, 4302 * ms, "c2 was refused L"},
		{"refused when it had been waited for enough", mutex, func(b *build) {
			held(b).try(2, 500, 5000, history.Fail, history.ByTime).refused(3, 6000, 6001)
		}, 4350*ms + 1, "c2 was still waiting for L"},
		{"never answered", bounded, func(b *build) { asked(free(b), 1000, 30000, 2000, 0) }, 11050*ms + 1, "c2 was still waiting for L"},
	} {
		t.Run(r.name, func(t *testing.T) {
			b := newBuild()
			r.make(b)
			var got []checker.Anomaly
			for _, p := range checker.Check(b.history(t), r.opt, nil).Properties {
				got = append(got, p.Anomalies...)
			}
			if len(got) != 1 || got[0].Kind != "deadlock" || got[0].Time != r.at || !strings.HasPrefix(got[0].Sentence, r.says) {
				t.Errorf("%+v, want one at %d: %s …", got, r.at, r.says)
			}
		})
	}
}

// TestDeadlockSum: the sum counts what came after the moment of the deadlock, and several
// clients, so the sentence says until when, and who.
func TestDeadlockSum(t *testing.T) {
	held := func(b *build) *build { return b.grant(1, 1, 0, 10, 0).crash(1, 1000) }
	for says, make := range map[string]func(b *build){
		"at 4.350 s although its last holder, c1 with lease 1, had been killed at 1.000 s. From 1.000 s on, nobody else can have had the lock, and no fault was in place. c2 waited for the lock without success for 18.9 s in all, until 19.950 s: longer than the 3 s": func(b *build) {
			held(b).try(2, 500, 20000, history.Fail, history.ByTime)
		},
		"at 10.750 s although its last holder, c1 with lease 1, had been killed at 1.000 s. From 1.000 s on, nobody else can have had the lock, and no fault was in place. 3 clients waited for the lock without success for 11.5 s in all, until 19.950 s: longer than": func(b *build) {
			held(b).try(2, 500, 2650, history.Fail, history.ByTime).try(3, 9000, 11000, history.Fail, history.ByTime).try(4, 12000, 20000, history.Fail, history.ByTime)
		},
	} {
		b := newBuild()
		make(b)
		for _, p := range checker.Check(b.history(t), mutex, nil).Properties {
			for _, a := range p.Anomalies {
				if !strings.Contains(a.Sentence, says) {
					t.Errorf("%s\nwant %s", a.Sentence, says)
				}
			}
		}
	}
}

// What may have been a holder: FreeWithin 3 s, 300 ms of slack, Retry 50 ms, so
// that a grant is told within 350 ms.
func TestDeadlockDoubt(t *testing.T) {
	one := map[string]int{"deadlock": 1}
	free := func(b *build) *build { return b.grant(1, 1, 0, 10, 0).release(1, 900, 1000, history.OK) }
	gaveUp := func(b *build, client int, from, to int64) *build { return b.try(client, from, to, history.Info, "") }
	run(t, []row{
		{"refused while another's grant is under way, after a time in which nobody asked", mutex, nil, func(b *build) {
			free(b).grant(2, 2, 9000, 9010, 0).refused(3, 9001, 9009).refused(4, 8999, 9000)
		}, nil},
		{"refused before the other's call", mutex, nil, func(b *build) { free(b).grant(2, 2, 9000, 9010, 0).refused(4, 8998, 8999) }, one},
		{"a grant that was called for before another's return came after it", mutex, nil, func(b *build) {
			free(b).grant(2, 2, 900, 1100, 0).release(2, 1200, 1300, history.OK).grant(3, 3, 1050, 7951, 0)
		}, one},
		{"two tries refuse each other", mutex, nil, func(b *build) { free(b).refused(2, 9000, 9010).refused(3, 9010, 9020) }, nil},
		{"one after the other", mutex, nil, func(b *build) { free(b).refused(2, 9000, 9010).refused(3, 9011, 9020) }, one},
		{"its own guard asks nobody", mutex, nil, func(b *build) {
			free(b).refused(2, 9000, 9010).try(3, 9005, 9006, history.Fail, history.ByClient)
		}, one},
		{"two that waited for a part of the time each, and nobody between them", mutex, nil, func(b *build) {
			free(b).try(2, 500, 2650, history.Fail, history.ByTime).try(3, 9000, 10750, history.Fail, history.ByTime)
		}, nil},
		{"in sum longer than that", mutex, nil, func(b *build) {
			free(b).try(2, 500, 2650, history.Fail, history.ByTime).try(3, 9000, 10751, history.Fail, history.ByTime)
		}, one},
		{"what two wait at the same time counts once", mutex, nil, func(b *build) {
			free(b).try(2, 500, 3000, history.Fail, history.ByTime).try(3, 500, 3500, history.Fail, history.ByTime)
		}, nil},
		{"after an unknown outcome the time starts again", bounded, nil, func(b *build) {
			gaveUp(free(b), 3, 500, 3000).try(2, 600, 6350, history.Fail, history.ByTime)
		}, nil},
		{"and is no longer than that", bounded, nil, func(b *build) {
			gaveUp(free(b), 3, 500, 3000).try(2, 600, 6351, history.Fail, history.ByTime)
		}, one},
		{"also where leases do not end by themselves: a lost connection may end one", mutex, nil, func(b *build) {
			gaveUp(free(b), 3, 500, 3000).try(2, 600, 6350, history.Fail, history.ByTime)
		}, nil},
		{"a single call of unknown outcome waited in vain itself", bounded, nil, func(b *build) { gaveUp(free(b), 2, 500, 7651) }, one},
		{"of two the other may have been granted untold at the end", bounded, nil, func(b *build) {
			gaveUp(gaveUp(free(b), 2, 500, 4700), 3, 500, 4700)
		}, nil},
		{"but not before", bounded, nil, func(b *build) { gaveUp(gaveUp(free(b), 2, 500, 4701), 3, 500, 4701) }, one},
		{"a killed waiter may have been the holder", bounded, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).crash(1, 1000).try(3, 500, -1, "", "").crash(3, 1500).try(2, 500, 4850, history.Fail, history.ByTime)
		}, nil},
		{"and the time counts from there", bounded, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).crash(1, 1000).try(3, 500, -1, "", "").crash(3, 1500).try(2, 500, 4851, history.Fail, history.ByTime)
		}, one},
	})
}

// asked lets clients 2, 3, 4 … ask in turn, with unknown outcomes, until a moment.
func asked(b *build, from, to, each, pause int64) *build {
	for n := 0; from < to; n++ {
		b.process[2] = 2 + 100*n
		b.try(2, from, min(from+each, to), history.Info, "")
		from += each + pause
	}
	return b
}

// givenUp is asked, with calls for which the client's own time was over.
func givenUp(b *build, from, to, each int64) *build {
	n := len(b.h)
	asked(b, from, to, each, 0)
	for i := range b.h[n:] {
		if op := &b.h[n+i]; op.Type == history.Info {
			op.Refused = history.ByTime
		}
	}
	return b
}

// The same and a retry, three times over: 10.05 s.
func TestDeadlockChain(t *testing.T) {
	one := map[string]int{"deadlock": 1}
	free := func(b *build) *build { return b.grant(1, 1, 0, 10, 0).release(1, 900, 1000, history.OK) }
	short := checker.Options{Expires: true, TTL: time.Second, FreeWithin: time.Second, Model: "lease", Retry: 10 * time.Millisecond}
	run(t, []row{
		{"unknown ends that follow each other may each have been a holder", bounded, nil, func(b *build) { asked(free(b), 1000, 11050, 2000, 0) }, nil},
		{"but not for ever", bounded, nil, func(b *build) { asked(free(b), 1000, 11051, 2000, 0) }, one},
		{"the lock fails at once, each time", bounded, nil, func(b *build) { asked(free(b), 1000, 11056, 5, 20) }, one},
		{"clients that give up before a slow lock can have answered", short, nil, func(b *build) { givenUp(free(b), 1000, 60000, 260) }, nil},
		{"and later: each may have been granted at the end of its time", short, nil, func(b *build) { givenUp(free(b), 1000, 5800, 1260) }, nil},
		{"but not all of them", short, nil, func(b *build) { givenUp(free(b), 1000, 7000, 1260) }, one},
		{"pauses as long as the slack", short, nil, func(b *build) { asked(free(b), 1000, 5090, 5, 250) }, one},
		{"longer pauses: it was not asked", short, nil, func(b *build) { asked(free(b), 1000, 40000, 5, 251) }, nil},
		{"a grant between them", bounded, nil, func(b *build) {
			asked(free(b), 1000, 6000, 2000, 0).grant(3, 2, 6000, 6010, 0).release(2, 6020, 6030, history.OK)
			b.process[4] = 7
			b.try(4, 6000, 8000, history.Info, "").try(5, 8000, 10000, history.Info, "").try(6, 9000, 11000, history.Info, "")
		}, nil},
		{"a fault between them", bounded, nil, func(b *build) { asked(free(b).fault("latency", 1, 0, "n1", 5000, 5100), 1000, 11051, 2000, 0) }, nil},
		{"kills between them: each may have been granted as it died", bounded, nil, func(b *build) {
			asked(free(b), 1000, 11051, 2000, 0).try(7, 4000, -1, "", "").crash(7, 6000)
		}, nil},
		{"a call that lasts to the end", bounded, nil, func(b *build) { asked(free(b), 1000, 11000, 2000, 0).try(7, 10900, -1, "", "").until(11100) }, one},
		{"whose client is killed at the very end", bounded, nil, func(b *build) {
			asked(free(b), 1000, 11000, 2000, 0).try(7, 10900, -1, "", "").crash(7, 11100)
		}, nil},
		{"in the shadow of a holder", bounded, nil, func(b *build) { asked(b.grant(1, 1, 0, 10, 0), 1000, 20000, 2000, 0).until(20000) }, nil},
	})
}

// TestDeadlockOfSome: a lock that is free and is not granted is dead, whoever had it until then.
// The sentence says for whom it is.
func TestDeadlockOfSome(t *testing.T) {
	for _, tt := range []struct {
		name string
		make func(b *build)
		says string
	}{
		{"for readers", func(b *build) {
			b.reader(1, 1, 0, 10, 0).release(1, 20, 30, history.OK).grant(2, 2, 40, 4000, 0).release(2, 4010, 4020, history.OK)
			b.add(5000, 9000, history.Op{F: history.Acquire, Lock: "L", Process: 1, Client: 1, Mode: history.Shared}, history.Fail, func(o *history.Op) { o.Refused = history.ByTime })
		}, "; the lock was last granted to a reader at 0.010 s, but others were granted it as late as 4.000 s"},
		{"for one client", func(b *build) {
			b.grant(2, 2, 0, 10, 0).release(2, 20, 30, history.OK).try(1, 5, 4000, history.Fail, history.ByTime)
		}, "; the lock was never granted to c1, but others were granted it as late as 0.010 s"},
		{"for all", func(b *build) {
			b.grant(1, 1, 0, 10, 0).release(1, 20, 30, history.OK).try(1, 40, 4000, history.Fail, history.ByTime)
		}, "300 ms of slack"},
	} {
		b := newBuild()
		tt.make(b)
		o := mutex
		o.Kind, o.Model = locks.ReadWrite, ""
		r := checker.Check(b.history(t), o, nil)
		if n := r.Counts.Anomalies["deadlock"]; n != 1 {
			t.Errorf("%s: %d deadlocks", tt.name, n)
		}
		for _, p := range r.Properties {
			for _, a := range p.Anomalies {
				if a.Kind == "deadlock" && !strings.HasSuffix(a.Sentence, tt.says) {
					t.Errorf("%s: %s\nwant %q", tt.name, a.Sentence, tt.says)
				}
			}
		}
	}
}

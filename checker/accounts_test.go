package checker_test

import (
	"strings"
	"testing"

	"locktorture/checker"
	"locktorture/history"
)

// killedAt is a crash that tells when the kill was sent.
func (b *build) killedAt(client int, sent, gone int64) *build {
	b.crash(client, gone)
	b.h[len(b.h)-1].UntilMin = sent * ms
	return b
}

// An account is a history and what must be told of the one anomaly of a kind in it.
type account struct {
	name, kind string
	opt        checker.Options
	make       func(b *build)
	says       string
	ops        int // entries that prove it
}

// accountsOfPromises tell how a promise lasted that was broken.
var accountsOfPromises = []account{
	{"declared", "double-grant", bounded, func(b *build) { b.grant(1, 1, 0, 10, 2000).grant(2, 2, 1000, 1999, 3900) },
		"c2 was granted L at 1.999 s (lease 2, itself declared valid until at least 3.900 s) although c1's lease 1, granted at 0.010 s, was declared valid until at least 2.000 s", 6},
	{"until its release", "double-grant", mutex, func(b *build) { b.grant(1, 1, 0, 10, 0).release(1, 900, 910, history.OK).grant(2, 2, 100, 800, 0) },
		"c2 was granted L at 0.800 s (lease 2) although c1's lease 1, granted at 0.010 s, was not released before 0.900 s", 4},
	{"for ever", "double-grant", mutex, func(b *build) { b.grant(1, 1, 0, 10, 0).grant(2, 2, 100, 800, 0) }, "c1's lease 1, granted at 0.010 s, was never released", 4},
	{"until the kill", "double-grant", mutex, func(b *build) { b.grant(1, 1, 0, 10, 0).grant(2, 2, 100, 800, 0).killedAt(1, 900, 910) },
		"was held until its client was killed, at 0.900 s at the earliest", 4},
	{"declared, until its release", "double-grant", bounded, func(b *build) {
		b.grant(1, 1, 0, 10, 2000).release(1, 900, 910, history.OK).grant(2, 2, 100, 800, 2700)
	}, "was declared valid until at least 2.000 s and not released before 0.900 s", 6},
	{"declared, until the kill", "double-grant", bounded, func(b *build) { b.grant(1, 1, 0, 10, 2000).grant(2, 2, 100, 800, 2700).killedAt(1, 900, 910) },
		"was declared valid until at least 2.000 s and held until its client was killed, at 0.900 s at the earliest", 6},
	{"declared, until its loss was told", "double-grant", bounded, func(b *build) { b.grant(1, 1, 0, 10, 2000).over(1, 890, 900).grant(2, 2, 100, 800, 2700) },
		"was declared valid until at least 2.000 s and not reported lost before 0.900 s", 6},
	{"which the lock told to have no end", "double-grant", bounded, func(b *build) {
		b.grant(1, 1, 0, 10, 0).ask(1, 10, 11, 1<<61/ms+1, history.Never/ms).grant(2, 2, 100, 800, 2700)
	}, "granted at 0.010 s, was declared valid without end", 6},
	{"which a lock without validities told all the same", "double-grant", mutex, func(b *build) { b.grant(1, 1, 0, 10, 2000).grant(2, 2, 100, 800, 2700) },
		"c2 was granted L at 0.800 s (lease 2) although c1's lease 1, granted at 0.010 s, was never released", 6},
	{"broken by one that told none", "double-grant", bounded, func(b *build) { b.grant(1, 1, 0, 10, 2000).grant(2, 2, 100, 800, 0) },
		"c2 was granted L at 0.800 s (lease 2) although c1's", 5},
	{"of a process without a client", "double-grant", mutex, func(b *build) {
		b.grant(1, 1, 0, 10, 0).grant(2, 2, 100, 800, 0)
		for i := range b.h {
			b.h[i].Client = 0
		}
	}, "process 2 was granted L at 0.800 s (lease 2) although process 1's lease 1", 4},
}

// late is a holder whose lock was granted to another at 2.5 s; releases of 10 ms set the round
// trip.
func late(b *build) *build {
	b.grant(3, 90, 0, 1, 0).release(90, 2, 12, history.OK)
	return b.grant(1, 1, 20, 30, 0).grant(2, 2, 100, 2500, 0)
}

var accountsOfNotices = []account{
	{"told", "late-notice", watched, func(b *build) { late(b).lost(1, 2600) },
		"c2 was granted L at 2.500 s (lease 2), but c1, who had held lease 1 since 0.030 s, learned of its loss only at 2.600 s. That was 80 ms late, not counting pauses of the holder, stalls of the machine, a round trip of 10 ms, and up to 10 ms for which this machine may keep processes waiting", 5},
	{"released", "late-notice", watched, func(b *build) { late(b).release(1, 2600, 2605, history.OK) }, "had not learned of its loss when it released the lock at 2.600 s. That was 80 ms late", 5},
	{"killed", "late-notice", watched, func(b *build) { late(b).killedAt(1, 2600, 2610) }, "had not learned of its loss when it was killed at 2.600 s. That was 80 ms late", 5},
	{"never told", "late-notice", watched, func(b *build) { late(b).until(3000) }, "had not learned of its loss when the history ended at 3.000 s. That was 480 ms late", 4},
	{"a short while", "late-notice", watched, func(b *build) {
		late(b).lost(1, 2521)
		b.h[len(b.h)-1].Time += 1234
	}, "learned of its loss only at 2.521 s. That was 1 ms late", 5},
	{"ten milliseconds", "late-notice", watched, func(b *build) {
		late(b).lost(1, 2530)
		b.h[len(b.h)-1].Time += 1234
	}, "learned of its loss only at 2.530 s. That was 10 ms late", 5},
	{"a while after its validity", "overrun", bounded, func(b *build) { b.grant(1, 1, 0, 10, 2000).store(1, plain, history.Write, "x", "1", 2005, 2006) },
		`c1, under lease 1 of L, wrote L/x = "1" at 2.005 s, 5 ms after its lease had expired (2.000 s)`, 5},
}

var accountsOfServers = []account{
	{"waited for since the holder was killed", "deadlock", mutex, func(b *build) {
		b.grant(1, 1, 0, 10, 0).crash(1, 1000).try(2, 500, 4351, history.Fail, history.ByTime)
	}, "its last holder, c1 with lease 1, had been killed at 1.000 s. From 1.000 s on, nobody else can have had the lock", 5},
	{"waited for since the release", "deadlock", mutex, func(b *build) {
		b.grant(1, 1, 0, 10, 0).release(1, 900, 1000, history.OK).try(2, 500, 4351, history.Fail, history.ByTime)
	}, "the release of its last holder, c1 with lease 1, had returned at 1.000 s. From", 6},
	{"released before it was killed", "deadlock", mutex, func(b *build) {
		b.grant(1, 1, 0, 10, 0).release(1, 900, 1000, history.OK).crash(1, 2000).try(2, 500, 4351, history.Fail, history.ByTime)
	}, "the release of its last holder, c1 with lease 1, had returned at 1.000 s. From", 6},
	{"waited for and granted", "deadlock", mutex, func(b *build) {
		b.grant(1, 1, 0, 10, 0).release(1, 900, 1000, history.OK).grant(2, 2, 500, 7651, 0)
	}, "c2 was still waiting for L at 7.650 s", 6},
	{"renewed after the death of its holder", "immortal", bounded, func(b *build) {
		b.grant(1, 1, 0, 10, 2000).crash(1, 1000).probe(1100, "p1:1", 3000).probe(2200, "p1:1", 5000).probe(3300, "p1:1", 7000)
	}, "c1's lease 1 of L lost its holder at 1.000 s, but was still renewed: on n1, its expiry was 3.000 s when probed at 1.100 s, 5.000 s when probed at 2.200 s, and 7.000 s when probed at 3.300 s", 5},
	{"renewed after its release", "immortal", bounded, func(b *build) {
		b.grant(1, 1, 0, 10, 2000).release(1, 900, 1000, history.OK).probe(1100, "p1:1", 3000).probe(2200, "p1:1", 5000).probe(3300, "p1:1", 7000)
	}, "c1's lease 1 of L was released at 1.000 s, but was still renewed", 5},
	{"seen until another's release", "foreign-release", bounded, func(b *build) {
		b.grant(1, 1, 0, 10, 2000).grant(2, 2, 1900, 2100, 4100).probe(2200, "p2:2", 4100).release(1, 2500, 2510, history.OK).probe(2550, "", 0)
	}, "the release of L by c1 (lease 1; called at 2.500 s, answered at 2.510 s) ended lease 2 of c2: the server still kept the lock for c2 when probed at 2.200 s, but no longer when probed at 2.550 s, although lease 2 had neither expired nor been released", 6},
	{"a stale read", "stale-accepted", tokened, func(b *build) { fencedTwo(b).store(1, fencedS, history.Read, "counter", "0", 1300, 1301) },
		"the fenced store let c1 read L/counter at 1.301 s (apply 3) under lease 1 with token 33 of L, granted at 0.010 s, although the store had already applied an operation of c2 (apply 2) under lease 2 with token 34, granted at 1.100 s", 7},
	{"a stale write", "stale-accepted", tokened, func(b *build) { fencedTwo(b).store(1, fencedS, history.Write, "counter", "1", 1300, 1301) },
		`let c1 write L/counter = "1" at 1.301 s (apply 3) under lease 1`, 7},
}

// fencedTwo has the fenced store used under lease 2.
func fencedTwo(b *build) *build {
	b.start(fencedS, "counter", "0").fenced(1, 1, 0, 10, 1000, 33).fenced(2, 2, 0, 1100, 4000, 34)
	return b.store(2, fencedS, history.Read, "counter", "0", 1200, 1201)
}

// TestAccounts: the sentence of an anomaly says who, when, and how it is known, and its
// entries prove that.
func TestAccounts(t *testing.T) {
	for _, list := range [][]account{accountsOfPromises, accountsOfNotices, accountsOfServers} {
		for _, a := range list {
			t.Run(a.kind+", "+a.name, func(t *testing.T) { a.check(t) })
		}
	}
}

func (a account) check(t *testing.T) {
	b := newBuild()
	a.make(b)
	found := 0
	for _, p := range checker.Check(b.history(t), a.opt, nil).Properties {
		for _, x := range p.Anomalies {
			if x.Kind != a.kind {
				continue
			}
			found++
			if !strings.Contains(x.Sentence, a.says) || len(x.Ops) != a.ops {
				t.Errorf("%d entries: %s\nwant %d: %s", len(x.Ops), x.Sentence, a.ops, a.says)
			}
		}
	}
	if found != 1 {
		t.Errorf("%d of them, want one", found)
	}
}

// TestFaultsInPlace: an anomaly names the faults that were in place at some time from its
// first entry to its end. A restart is recorded up to half a second after it began.
func TestFaultsInPlace(t *testing.T) {
	for _, tt := range []struct {
		name     string
		kind     string
		from, to int64
		want     int
	}{
		{"healed as it began", "latency", 0, 10, 1},
		{"healed 1 ms before", "latency", 0, 9, 0},
		{"in place as it ended", "latency", 1999, 2500, 1},
		{"1 ms later", "latency", 2000, 2500, 0},
		{"a restart that was seen half a second later", "restart", 2499, 2600, 1},
		{"and another millisecond", "restart", 2500, 2600, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBuild()
			b.grant(1, 1, 10, 20, 2000).grant(2, 2, 1000, 1999, 3900).fault(tt.kind, 1, 0, "n1", tt.from, tt.to).until(3000)
			for _, p := range checker.Check(b.history(t), bounded, nil).Properties {
				for _, a := range p.Anomalies {
					if len(a.Faults) != tt.want {
						t.Errorf("%s: %+v, want %d", a.Kind, a.Faults, tt.want)
					}
				}
			}
		})
	}
}

package checker_test

import (
	"testing"

	"locktorture/checker"
	"locktorture/history"
)

// looked is a look at all who hold L, that was asked for at a moment and recorded at another.
func (b *build) looked(asked, at int64, holds ...history.Hold) *build {
	for i := range holds {
		if holds[i].Until < history.Never {
			holds[i].Until *= ms
		}
	}
	return b.event(at, history.Op{F: history.Probe, Process: history.Harness, Lock: "L", Node: "n1", UntilMin: asked * ms, Holds: append([]history.Hold{}, holds...)})
}

func readerHold(owner string, until int64) history.Hold {
	return history.Hold{Owner: owner, Mode: history.Shared, Until: until}
}

func writerHold(owner string, until int64) history.Hold {
	return history.Hold{Owner: owner, Until: until}
}

func permitsHold(n int, owner string, until int64) history.Hold {
	return history.Hold{Owner: owner, Mode: history.Permits, Permits: n, Until: until}
}

// byNode moves the last look to another server.
func (b *build) byNode(node string) *build {
	b.h[len(b.h)-1].Node = node
	return b
}

func twoReaders(b *build) *build { return b.reader(1, 1, 0, 10, 2000).reader(2, 2, 0, 20, 2020) }

// firstReleased is a look at two readers, and the release of the first.
func firstReleased(b *build) *build {
	return twoReaders(b).looked(100, 110, readerHold("p1:1", 2000), readerHold("p2:2", 2020)).release(1, 120, 130, history.OK)
}

// secondGone is a look after that, which shows neither.
func secondGone(b *build) *build { return firstReleased(b).looked(140, 150) }

// TestHoldEnded: who ended whose hold, seen by two looks. c1 and c2 read, c1 releases, and
// c2's hold is gone.
func TestHoldEnded(t *testing.T) {
	one, readers, first, gone := map[string]int{"foreign-release": 1}, twoReaders, firstReleased, secondGone
	run(t, []row{
		{"a reader's release ends another reader's hold", timedRW, nil, func(b *build) { gone(b).release(2, 200, 210, history.Fail) }, one},
		{"and not: it is there still", timedRW, nil, func(b *build) {
			first(b).looked(140, 150, readerHold("p2:2", 2020)).release(2, 200, 210, history.OK)
		}, nil},
		{"it had called for its own release when it was gone", timedRW, nil, func(b *build) { gone(b).release(2, 150, 210, history.OK) }, nil},
		{"a moment later", timedRW, nil, func(b *build) { gone(b).release(2, 151, 210, history.Fail) }, one},
		{"it never called for it: it may have been given up", timedRW, nil, func(b *build) { gone(b) }, nil},
		{"it was told before that it is over", timedRW, nil, func(b *build) { gone(b).over(2, 140, 150).release(2, 200, 210, history.Fail) }, nil},
		{"it was granted when the look was under way", timedRW, nil, func(b *build) {
			b.reader(1, 1, 0, 10, 2000).reader(2, 2, 0, 100, 2020).looked(100, 110, readerHold("p2:2", 2020))
			b.release(1, 120, 130, history.OK).looked(140, 150).release(2, 200, 210, history.Fail)
		}, nil},
		{"nobody called between the looks", timedRW, nil, func(b *build) {
			readers(b).release(1, 80, 99, history.OK).looked(100, 110, readerHold("p2:2", 2020)).looked(140, 150).release(2, 200, 210, history.Fail)
		}, nil},
		{"a release that returned as the look was asked for", timedRW, nil, func(b *build) {
			readers(b).release(1, 80, 100, history.OK).looked(100, 110, readerHold("p2:2", 2020)).looked(140, 150).release(2, 200, 210, history.Fail)
		}, one},
		{"the release was refused", timedRW, nil, func(b *build) {
			readers(b).looked(100, 110, readerHold("p2:2", 2020)).release(1, 120, 130, history.Fail).looked(140, 150).release(2, 200, 210, history.Fail)
		}, nil},
		{"taken by who was granted the lock meanwhile", timedRW, nil, func(b *build) {
			b.reader(2, 2, 0, 20, 1000).looked(100, 110, readerHold("p2:2", 1000)).grant(3, 3, 120, 130, 2130).looked(140, 150, writerHold("p3:3", 2130))
			b.release(2, 160, 170, history.Fail).release(3, 180, 190, history.OK)
		}, map[string]int{"foreign-release": 1, "reader-beside-writer": 1}},
		{"the hold had 50 ms left", timedRW, nil, func(b *build) {
			b.reader(1, 1, 0, 10, 2000).reader(2, 2, 0, 20, 2020).looked(100, 110, readerHold("p2:2", 210)).release(1, 120, 130, history.OK).looked(140, 150)
			b.release(2, 200, 210, history.Fail)
		}, nil},
		{"and one more", timedRW, nil, func(b *build) {
			b.reader(1, 1, 0, 10, 2000).reader(2, 2, 0, 20, 2020).looked(100, 110, readerHold("p2:2", 211)).release(1, 120, 130, history.OK).looked(140, 150)
			b.release(2, 200, 210, history.Fail)
		}, one},
		{"a server that tells whole seconds: it had 1.05 s left", timedRW, nil, func(b *build) {
			readers(b).looked(100, 110, readerHold("p2:2", 2110)).release(1, 120, 130, history.OK).looked(1000, 1050).release(2, 1100, 1110, history.Fail)
		}, nil},
		{"and a moment more", timedRW, nil, func(b *build) {
			readers(b).looked(100, 110, readerHold("p2:2", 2110)).release(1, 120, 130, history.OK).looked(1000, 1049).release(2, 1100, 1110, history.Fail)
		}, one},
	})
}

// TestHoldEndedDoubt: what may have ended a hold besides a call, and whether two looks show
// that it ended.
func TestHoldEndedDoubt(t *testing.T) {
	one, readers, first, gone := map[string]int{"foreign-release": 1}, twoReaders, firstReleased, secondGone
	sessions := timedRW
	sessions.Bounded, sessions.Watched = false, true
	run(t, []row{
		{"a session may have ended", sessions, nil, func(b *build) {
			readers(b).looked(100, 110, readerHold("p2:2", history.Never)).release(1, 120, 130, history.OK).looked(140, 150).release(2, 200, 210, history.Fail)
		}, nil},
		{"a connection does not by itself", rw, nil, func(b *build) {
			readers(b).looked(100, 110, readerHold("p2:2", history.Never)).release(1, 120, 130, history.OK).looked(140, 150).release(2, 200, 210, history.Fail)
		}, one},
		{"a fault that takes locks", timedRW, nil, func(b *build) {
			gone(b).release(2, 200, 210, history.Fail).fault("partition", 1, 0, "n1", 15, 16)
		}, map[string]int{"foreign-release": 1}},
		{"a fault that takes locks, since the grant", timedRW, nil, func(b *build) {
			gone(b).release(2, 200, 210, history.Fail).fault("partition", 1, 0, "n1", 15, 20)
		}, nil},
		{"the looks were under way together", timedRW, nil, func(b *build) { first(b).looked(109, 150).release(2, 200, 210, history.Fail) }, nil},
		{"one after the other", timedRW, nil, func(b *build) { first(b).looked(110, 150).release(2, 200, 210, history.Fail) }, one},
		{"of two servers", timedRW, nil, func(b *build) { first(b).looked(140, 150).byNode("n2").release(2, 200, 210, history.Fail) }, nil},
		{"a name of two grants", timedRW, nil, func(b *build) {
			gone(b).release(2, 200, 210, history.Fail).reader(2, 3, 300, 310, 2300)
			for i := range b.h {
				if b.h[i].Value == "p2:3" {
					b.h[i].Value = "p2:2"
				}
			}
		}, nil},
		{"that another grant had before", timedRW, nil, func(b *build) {
			b.reader(2, 3, 0, 5, 2000).release(3, 6, 7, history.OK)
			b.reader(1, 1, 0, 10, 2000).reader(2, 2, 8, 20, 2020).looked(100, 110, readerHold("p2:2", 2020)).release(1, 120, 130, history.OK)
			b.looked(140, 150).release(2, 200, 210, history.Fail)
			for i := range b.h {
				if b.h[i].Value == "p2:3" {
					b.h[i].Value = "p2:2"
				}
			}
		}, nil},
		{"its own change of mode was under way", timedRW, nil, func(b *build) {
			gone(b).add(140, 160, b.under(2, history.Upgrade), history.OK, nil).release(2, 200, 210, history.Fail)
		}, nil},
		{"it is a writer now, in its own name", timedRW, nil, func(b *build) {
			first(b).looked(140, 150, writerHold("p2:2", 2020)).release(2, 200, 210, history.OK)
		}, nil},
		{"one of two permits is gone", permits, nil, func(b *build) {
			b.permits(1, 3, 1, 1, 0, 10, 2000).permits(2, 3, 2, 2, 0, 20, 2020).looked(100, 110, permitsHold(2, "p2:2", 2020))
			b.release(1, 120, 130, history.OK).looked(140, 150, permitsHold(1, "p2:2", 2020)).release(2, 200, 210, history.OK)
		}, one},
	})
}

// TestHoldExtended: a hold of a dead writer moves on while a reader calls.
func TestHoldExtended(t *testing.T) {
	one := map[string]int{"extended-by-other": 1}
	o := timedRW
	o.FreeWithin = 0 // that it is dead for all stands elsewhere
	died := func(b *build) *build { return b.grant(2, 2, 0, 10, 2000).crash(2, 100) }
	looks := func(b *build, ends ...int64) *build {
		for i, until := range ends {
			b.looked(200+100*int64(i), 210+100*int64(i), writerHold("p2:2", until))
		}
		return b
	}
	asks := func(b *build, call, ret int64) *build {
		return b.add(call, ret, history.Op{F: history.Acquire, Lock: "L", Process: 1, Client: 1, Mode: history.Shared}, history.Fail, func(o *history.Op) { o.Refused = history.ByTime })
	}
	// Of a look that took 10 ms the expiry may be 10 ms less than it saw, and a renewal is at
	// least 50 ms: 61 ms more are one.
	run(t, []row{
		{"twice", o, nil, func(b *build) { asks(looks(died(b), 2000, 2061, 2122), 150, 500) }, one},
		{"the second time by 60 ms", o, nil, func(b *build) { asks(looks(died(b), 2000, 2061, 2121), 150, 500) }, nil},
		{"the first time by 60 ms", o, nil, func(b *build) { asks(looks(died(b), 2000, 2060, 2121), 150, 500) }, nil},
		{"bit by bit", o, nil, func(b *build) { asks(looks(died(b), 2000, 2030, 2061, 2091, 2122), 150, 900) }, one},
		{"once: a renewal that was under way", o, nil, func(b *build) { asks(looks(died(b), 2000, 2600, 2600), 150, 500) }, nil},
		{"back and on again: from where it was least", o, nil, func(b *build) {
			asks(asks(looks(died(b), 2000, 2200, 2061, 2122), 150, 299), 411, 600)
		}, one},
		{"nobody else called", o, nil, func(b *build) { looks(died(b), 2000, 2061, 2122) }, nil},
		{"somebody else called the first time only", o, nil, func(b *build) { asks(looks(died(b), 2000, 2061, 2122), 150, 299) }, nil},
		{"and the second time, too", o, nil, func(b *build) { asks(looks(died(b), 2000, 2061, 2122), 150, 300) }, one},
		{"the second time only", o, nil, func(b *build) { asks(looks(died(b), 2000, 2061, 2122), 311, 500) }, nil},
		{"by its own client, which lives again", o, nil, func(b *build) {
			looks(died(b), 2000, 2061, 2122).add(150, 500, history.Op{F: history.Try, Lock: "L", Process: 102, Client: 2}, history.Fail, func(o *history.Op) { o.Refused = history.ByServer })
		}, one},
		{"it was alive at the first look", o, nil, func(b *build) {
			asks(looks(b.grant(2, 2, 0, 10, 2000).crash(2, 200), 2000, 2061, 2122), 150, 500)
		}, nil},
		{"its holder is stopped", o, nil, func(b *build) {
			asks(looks(b.grant(2, 2, 0, 10, 2000).fault("pause", 1, 2, "c2", 199, 511).release(2, 600, 610, history.OK), 2000, 2061, 2122), 150, 500)
		}, one},
		{"it may be let go on before that is recorded", o, nil, func(b *build) {
			asks(looks(b.grant(2, 2, 0, 10, 2000).fault("pause", 1, 2, "c2", 199, 510).release(2, 600, 610, history.OK), 2000, 2061, 2122), 150, 500)
		}, nil},
		{"its holder goes on", o, nil, func(b *build) {
			asks(looks(b.grant(2, 2, 0, 10, 2000).release(2, 600, 610, history.OK), 2000, 2061, 2122), 150, 500)
		}, nil},
		{"a clock moves", o, nil, func(b *build) {
			asks(looks(died(b), 2000, 2061, 2122), 150, 500).fault("clock", 1, 0, "n1", 300, 305)
		}, nil},
		{"a server that tells no end", o, nil, func(b *build) {
			asks(died(b).looked(200, 210, writerHold("p2:2", history.Never)).looked(300, 310, writerHold("p2:2", history.Never)), 150, 500)
		}, nil},
		{"it was not there in between", o, nil, func(b *build) {
			asks(died(b).looked(200, 210, writerHold("p2:2", 2000)).looked(300, 310, writerHold("p2:2", 2061)).looked(311, 312).looked(400, 410, writerHold("p2:2", 2122)), 150, 500)
		}, nil},
	})
}

// TestPartialGrant: of two permits that were granted together the server keeps one.
func TestPartialGrant(t *testing.T) {
	one := map[string]int{"partial-grant": 1}
	two := func(b *build) *build { return b.permits(2, 3, 1, 1, 0, 20, 2000) }
	sessions := permits
	sessions.Bounded, sessions.Watched = false, true
	run(t, []row{
		{"one of two", permits, nil, func(b *build) { two(b).looked(21, 30, permitsHold(1, "p1:1", 2000)).release(1, 100, 110, history.OK) }, one},
		{"once for all looks", permits, nil, func(b *build) {
			two(b).looked(21, 30, permitsHold(1, "p1:1", 2000)).looked(40, 50, permitsHold(1, "p1:1", 2000))
		}, one},
		{"both", permits, nil, func(b *build) { two(b).looked(21, 30, permitsHold(2, "p1:1", 2000)) }, nil},
		{"none", permits, nil, func(b *build) { two(b).looked(21, 30) }, nil},
		{"a server that does not say how many", permits, nil, func(b *build) { two(b).looked(21, 30, writerHold("p1:1", 2000)) }, nil},
		{"one after the other, before the grant had returned", permits, nil, func(b *build) {
			two(b).looked(20, 30, permitsHold(1, "p1:1", 2000)).looked(40, 50, permitsHold(2, "p1:1", 2000))
		}, nil},
		{"one, after both were seen", permits, nil, func(b *build) {
			two(b).looked(21, 30, permitsHold(2, "p1:1", 2000)).looked(40, 50, permitsHold(1, "p1:1", 2000))
		}, nil},
		{"given back one by one", permits, nil, func(b *build) {
			two(b).looked(90, 100, permitsHold(1, "p1:1", 2000)).release(1, 100, 110, history.OK)
		}, nil},
		{"a moment before", permits, nil, func(b *build) {
			two(b).looked(90, 99, permitsHold(1, "p1:1", 2000)).release(1, 100, 110, history.OK)
		}, one},
		{"after the promise", permits, nil, func(b *build) { two(b).looked(1990, 2000, permitsHold(1, "p1:1", 3000)) }, nil},
		{"a session that may go piece by piece", sessions, nil, func(b *build) { two(b).looked(21, 30, permitsHold(1, "p1:1", history.Never)) }, nil},
		{"a server that came back with less", permits, nil, func(b *build) {
			two(b).looked(21, 30, permitsHold(1, "p1:1", 2000)).fault("restart", 1, 0, "n1", 25, 26)
		}, nil},
	})
}

// TestHoldsWarn: looks at several holders say nothing of orphan and immortal, and the result
// says so.
func TestHoldsWarn(t *testing.T) {
	warned := func(look func(b *build)) int {
		b := newBuild().reader(1, 1, 0, 10, 2000)
		look(b)
		return len(checker.Check(b.release(1, 200, 210, history.OK).history(t), timedRW, nil).Warnings)
	}
	if n := warned(func(b *build) { b.looked(100, 110, readerHold("p1:1", 2000)) }); n != 1 {
		t.Errorf("%d warnings where holders are listed, want 1", n)
	}
	if n := warned(func(b *build) { b.probe(100, "p1:1", 2000) }); n != 0 {
		t.Errorf("%d warnings where one owner is seen, want none", n)
	}
}

// TestHoldLeft: a hold that is listed after its release was answered.
func TestHoldLeft(t *testing.T) {
	one := map[string]int{"orphan": 1}
	left := func(b *build, released history.Type, asked ...int64) *build {
		b.reader(1, 1, 0, 10, 2000).release(1, 20, 30, released)
		for _, at := range asked {
			b.looked(at, at+5, readerHold("p1:1", 2000))
		}
		return b
	}
	run(t, []row{
		{"for 51 ms", timedRW, nil, func(b *build) { left(b, history.OK, 31, 87) }, one},
		{"for 50 ms", timedRW, nil, func(b *build) { left(b, history.OK, 31, 86) }, nil},
		{"asked for as the release was answered", timedRW, nil, func(b *build) { left(b, history.OK, 30, 86) }, nil},
		{"once for all looks", timedRW, nil, func(b *build) { left(b, history.OK, 31, 100, 200, 300) }, one},
		{"the release was refused", timedRW, nil, func(b *build) { left(b, history.Fail, 31, 87) }, one},
		{"its outcome is unknown", timedRW, nil, func(b *build) { left(b, history.Info, 31, 87) }, nil},
		{"it was not there in between", timedRW, nil, func(b *build) { left(b, history.OK, 31).looked(50, 51); b.looked(87, 90, readerHold("p1:1", 2000)) }, nil},
		{"a replica that has taken over may have kept it", timedRW, nil, func(b *build) { left(b, history.OK, 31, 87).fault("failover", 1, 0, "n1", 500, 600) }, nil},
		{"of two servers", timedRW, nil, func(b *build) { left(b, history.OK, 31, 87).byNode("n2") }, nil},
	})
}

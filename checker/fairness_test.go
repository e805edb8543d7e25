package checker_test

import (
	"testing"

	"locktorture/checker"
	"locktorture/history"
	"locktorture/locks"
)

// ordered declares that it grants in order; its leases do not end by themselves.
var ordered = func() checker.Options { o := mutex; o.Fair = true; return o }()

// orderedLease has leases of 2 s.
var orderedLease = func() checker.Options { o := watched; o.Fair = true; return o }()

// served makes a client one that was granted the lock before and gave it back.
func (b *build) served(client int, lease, call int64) *build {
	return b.grant(client, lease, call, call+5, 0).release(lease, call+6, call+10, history.OK)
}

// overtaken: c1 calls at 100 while c2 holds, c3 at call; c3 is granted the lock first.
func overtaken(b *build, call int64) *build {
	b.served(1, 1, 0).grant(2, 2, 50, 60, 0).release(2, 890, 900, history.OK)
	return b.grant(3, 3, call, 910, 0).release(3, 950, 960, history.OK)
}

// Without an answer of the servers the allowance is 250 ms.
func TestUnfair(t *testing.T) {
	one := map[string]int{"unfair": 1}
	next := func(b *build) *build { return b.grant(1, 4, 100, 970, 0) }
	run(t, []row{
		{"called later, served first", ordered, nil, func(b *build) { next(overtaken(b, 351)) }, one},
		{"so little later that its request may have been the first", ordered, nil, func(b *build) { next(overtaken(b, 350)) }, nil},
		{"the lock declares no order", mutex, nil, func(b *build) { next(overtaken(b, 351)) }, nil},
		{"two that were called later make one waiter that was overtaken", ordered, nil, func(b *build) {
			overtaken(b, 351).grant(4, 5, 400, 961, 0).release(5, 965, 970, history.OK).grant(1, 4, 100, 980, 0)
		}, one},
		{"requests take long here: four of the longest usual round trips are allowed", ordered, nil, func(b *build) {
			b.grant(4, 9, 0, 5, 0).release(9, 10, 75, history.OK) // 65 ms
			b.served(1, 1, 76).grant(2, 2, 87, 90, 0).release(2, 890, 900, history.OK)
			b.grant(3, 3, 359, 910, 0).release(3, 950, 960, history.OK).grant(1, 4, 100, 970, 0)
		}, nil},
		{"the machine let nobody run for long: four such times are allowed", ordered, nil, func(b *build) {
			next(overtaken(b, 360)).event(170, history.Op{F: history.Stall, Process: history.Harness, UntilMin: 105 * ms})
		}, nil},
		{"and no more", ordered, nil, func(b *build) {
			next(overtaken(b, 361)).event(170, history.Op{F: history.Stall, Process: history.Harness, UntilMin: 105 * ms})
		}, one},
		{"it had never been served before: perhaps it was still connecting", ordered, nil, func(b *build) {
			b.grant(2, 2, 50, 60, 0).release(2, 890, 900, history.OK).grant(3, 3, 351, 910, 0).release(3, 950, 960, history.OK).grant(1, 4, 100, 970, 0)
		}, nil},
		{"it was told a loss: perhaps it had to connect again", ordered, nil, func(b *build) {
			b.grant(1, 1, 0, 5, 0).lost(1, 7).release(1, 8, 10, history.Fail).grant(2, 2, 50, 60, 0).release(2, 890, 900, history.OK)
			b.grant(3, 3, 351, 910, 0).release(3, 950, 960, history.OK).grant(1, 4, 100, 970, 0)
		}, nil},
		{"it was stopped: a head of the queue that sleeps may lose its place", ordered, nil, func(b *build) {
			next(overtaken(b, 351)).fault("pause", 1, 1, "c1", 500, 600)
		}, nil},
		{"stopped before it was served last", ordered, nil, func(b *build) {
			b.served(4, 9, 0).fault("pause", 1, 1, "c1", 11, 12).served(1, 1, 20).grant(2, 2, 50, 60, 0).release(2, 890, 900, history.OK)
			next(b.grant(3, 3, 351, 910, 0).release(3, 950, 960, history.OK))
		}, one},
		{"another was stopped", ordered, nil, func(b *build) { next(overtaken(b, 351)).fault("pause", 1, 4, "c4", 500, 600) }, one},
		{"who overtook was stopped, which brings nobody forward", ordered, nil, func(b *build) { next(overtaken(b, 351)).fault("pause", 1, 3, "c3", 500, 600) }, one},
		{"another's clock was moved, by which the queue may be kept", ordered, nil, func(b *build) {
			next(overtaken(b, 351)).fault("client-clock", 1, 4, "c4", 500, 600)
		}, nil},
		{"a server was struck", ordered, nil, func(b *build) { next(overtaken(b, 351)).fault("restart", 1, 0, "n1", 500, 600) }, nil},
		{"a fault that was on its way and struck nobody", ordered, nil, func(b *build) { next(overtaken(b, 351)).early("failover", 1, "n1", 500, 600) }, nil},
		{"a server was struck after it was served", ordered, nil, func(b *build) { next(overtaken(b, 351)).fault("restart", 1, 0, "n1", 911, 960) }, one},
		{"a try, which stands in no queue", ordered, nil, func(b *build) { overtaken(b, 351).refused(1, 100, 1910) }, nil},
		{"it gave up long after", ordered, nil, func(b *build) { overtaken(b, 351).try(1, 100, 1910, history.Fail, history.ByServer) }, one},
		{"it gave up, perhaps before the other was granted the lock", ordered, nil, func(b *build) {
			overtaken(b, 351).try(1, 100, 1909, history.Fail, history.ByServer)
		}, nil},
		{"it was killed long after", ordered, nil, func(b *build) { overtaken(b, 351).try(1, 100, -1, "", "").crash(1, 1950) }, nil},
		{"a client that asks again may have its old place", ordered, nil, func(b *build) {
			b.served(1, 1, 0).grant(2, 2, 50, 60, 0).release(2, 890, 900, history.OK).try(3, 70, 340, history.Fail, history.ByServer)
			next(b.grant(3, 3, 351, 910, 0).release(3, 950, 960, history.OK))
		}, nil},
		{"a try stands in no queue", ordered, nil, func(b *build) {
			b.served(1, 1, 0).grant(2, 2, 50, 60, 0).release(2, 890, 900, history.OK)
			op := history.Op{F: history.Try, Lock: "L", Process: 3, Client: 3}
			b.holder[3] = op
			next(b.add(905, 910, op, history.OK, func(o *history.Op) { o.Lease = 3 }).release(3, 950, 960, history.OK))
		}, nil},
		{"its place is a lease too, and that was over", orderedLease, nil, func(b *build) {
			b.served(1, 1, 0).grant(2, 2, 50, 60, 0).release(2, 2090, 2095, history.OK)
			b.grant(3, 3, 351, 2101, 0).release(3, 2102, 2103, history.OK).grant(1, 4, 100, 2200, 0)
		}, nil},
		{"its place was not over", orderedLease, nil, func(b *build) {
			b.served(1, 1, 0).grant(2, 2, 50, 60, 0).release(2, 2090, 2095, history.OK)
			b.grant(3, 3, 351, 2100, 0).release(3, 2102, 2103, history.OK).grant(1, 4, 100, 2200, 0)
		}, one},
	})
}

// crowd lets c2 … c5 have the lock in turn, n times, 24 ms each, while c1 waits from 0 on.
func crowd(b *build, n int64) *build {
	for i := range n {
		client := 2 + int(i%4)
		b.grant(client, i+1, 24*i, 24*i+1, 0).release(i+1, 24*i+23, 24*i+24, history.OK)
	}
	return b
}

// Five clients: each grant to another than before is a fifth of a chance, and a lock that is
// free for as long as a retry (50 ms) is one. FreeWithin is 3 s: a client must have waited for
// 5 s.
func TestStarved(t *testing.T) {
	one := map[string]int{"starved": 1}
	run(t, []row{
		{"passed over again and again", mutex, nil, func(b *build) { crowd(b, 262).try(1, 0, 6400, history.Fail, history.ByServer) }, one},
		{"not often enough", mutex, nil, func(b *build) { crowd(b, 250).try(1, 0, 6400, history.Fail, history.ByServer) }, nil},
		{"served in between", mutex, nil, func(b *build) {
			crowd(b, 125).try(1, 0, 2990, history.Fail, history.ByServer).served(1, 1000, 3001)
			for i := int64(0); i < 150; i++ {
				b.grant(2+int(i%4), 2000+i, 3020+24*i, 3021+24*i, 0).release(2000+i, 3043+24*i, 3044+24*i, history.OK)
			}
			b.try(1, 3015, 6700, history.Fail, history.ByServer)
		}, nil},
		{"in several waits, the last of which the history cuts off", mutex, nil, func(b *build) {
			crowd(b, 290).try(1, 0, 2000, history.Fail, history.ByServer).try(1, 2001, 4000, history.Fail, history.ByServer).try(1, 4001, -1, "", "")
		}, one},
		{"served at last", mutex, nil, func(b *build) { crowd(b, 262).grant(1, 1000, 0, 6400, 0) }, one},
		{"an acquire of unknown outcome may have been served", mutex, nil, func(b *build) {
			crowd(b, 262).try(1, 0, 3000, history.Info, "")
			b.crash(1, 3001)
			b.try(1, 3002, 6400, history.Fail, history.ByServer)
		}, nil},
		{"a try of unknown outcome may have been served, too", mutex, nil, func(b *build) {
			crowd(b, 262).try(1, 0, 3000, history.Fail, history.ByServer)
			b.add(3001, 3002, history.Op{F: history.Try, Lock: "L", Process: 1, Client: 1}, history.Info, func(*history.Op) {})
			b.process[1] = 101
			b.try(1, 3003, 6400, history.Fail, history.ByServer)
		}, nil},
		{"its own guard refused: the lock was not asked", mutex, nil, func(b *build) { crowd(b, 262).try(1, 0, 6400, history.Fail, history.ByClient) }, nil},
		{"killed as it waited once more: what it had missed before stays missed", mutex, nil, func(b *build) {
			crowd(b, 262).try(1, 0, 6300, history.Fail, history.ByServer).try(1, 6301, -1, "", "").crash(1, 6310)
			b.try(1, 6320, 6400, history.Fail, history.ByServer)
		}, one},
		{"called in a time that does not count, which is not taken from what comes after it", mutex, nil, func(b *build) {
			b.grant(2, 5000, 0, 1, 0).release(5000, 2, 3, history.OK).fault("partition", 1, 0, "n1", 10, 20)
			for i := int64(0); i < 262; i++ {
				b.grant(2+int(i%4), i+1, 4000+24*i, 4001+24*i, 0).release(i+1, 4023+24*i, 4024+24*i, history.OK)
			}
			b.try(1, 3900, 10300, history.Fail, history.ByServer)
		}, one},
		{"it was stopped", mutex, nil, func(b *build) {
			crowd(b, 262).try(1, 0, 6400, history.Fail, history.ByServer).fault("pause", 1, 1, "c1", 3000, 3001)
		}, nil},
		{"another was stopped", mutex, nil, func(b *build) {
			crowd(b, 262).try(1, 0, 6400, history.Fail, history.ByServer).fault("pause", 1, 6, "c6", 3000, 3001)
		}, one},
		{"while a fault of everybody is in place nothing counts", mutex, nil, func(b *build) {
			crowd(b, 262).try(1, 0, 6350, history.Fail, history.ByServer).fault("partition", 1, 0, "n1", 3000, 3500)
		}, nil},
		{"but what was before it does", mutex, nil, func(b *build) {
			crowd(b, 285).try(1, 0, 6900, history.Fail, history.ByServer).fault("partition", 1, 0, "n1", 3000, 3100)
		}, one},
		{"for a short time only, however often", mutex, nil, func(b *build) {
			for i := int64(0); i < 1200; i++ {
				b.grant(2+int(i%4), i+1, 4*i, 4*i+1, 0).release(i+1, 4*i+2, 4*i+3, history.OK)
			}
			b.try(1, 0, 4900, history.Fail, history.ByServer)
		}, nil},
		{"a lock that its holder takes again at once: who asks in between has no chance", mutex, nil, func(b *build) {
			for i := int64(0); i < 800; i++ {
				b.grant(2, i+1, 24*i, 24*i+1, 0).release(i+1, 24*i+23, 24*i+24, history.OK)
			}
			b.try(1, 0, 9600, history.Fail, history.ByServer)
		}, nil},
		{"a lock that one holder takes again after a rest", mutex, nil, func(b *build) {
			for i := int64(0); i < 150; i++ {
				b.grant(2, i+1, 60*i+30, 60*i+31, 0).release(i+1, 60*i+51, 60*i+52, history.OK)
			}
			b.try(1, 0, 9100, history.Fail, history.ByServer)
		}, one},
		{"a waiter that asks only now and then", func() checker.Options { o := mutex; o.Retry *= 40; return o }(), nil, func(b *build) {
			crowd(b, 262).try(1, 0, 6400, history.Fail, history.ByServer)
		}, nil},
		{"the lock promises nothing about time", checker.Options{}, nil, func(b *build) { crowd(b, 262).try(1, 0, 6400, history.Fail, history.ByServer) }, nil},
	})
}

// TestInPartsFairness: what is known of who waits goes from one part of a history to the next.
func TestInPartsFairness(t *testing.T) {
	b := newBuild()
	overtaken(b, 351).grant(1, 4, 100, 970, 0).release(4, 971, 975, history.OK)
	for i := range int64(600) {
		b.grant(2+int(i%4), i+10, 1000+12*i, 1001+12*i, 0).release(i+10, 1011+12*i, 1012+12*i, history.OK)
	}
	b.try(1, 980, 8300, history.Fail, history.ByServer)
	r := inParts(t, b.history(t), ordered, nil)
	if r.Counts.Anomalies["unfair"] != 2 || r.Counts.Anomalies["starved"] != 1 {
		t.Errorf("%v, want c1 overtaken twice and starved once", r.Counts.Anomalies)
	}
}

// orderedRW and orderedPermits declare that they grant in order what several can hold.
var (
	orderedRW      = func() checker.Options { o := rw; o.Fair = true; return o }()
	orderedPermits = func() checker.Options { o := orderedRW; o.Kind = locks.Semaphore; return o }()
)

// behind: c1 waits with a claim from 100 on while c2 holds all; c3, who called later, is
// granted another first.
func behind(first, second func(b *build, client int, lease, call, ret int64)) func(b *build) {
	return func(b *build) {
		b.served(1, 1, 0).served(3, 2, 11)
		b.grant(2, 3, 50, 60, 0).release(3, 890, 900, history.OK)
		second(b, 3, 4, 351, 910)
		b.release(4, 950, 960, history.OK)
		first(b, 1, 5, 100, 970)
	}
}

// Who can hold the lock beside another takes nothing from it: both may have been let in at one
// moment.
func TestUnfairToWhomAClaimExcludes(t *testing.T) {
	writer := func(b *build, c int, lease, call, ret int64) { b.grant(c, lease, call, ret, 0) }
	reader := func(b *build, c int, lease, call, ret int64) { b.reader(c, lease, call, ret, 0) }
	some := func(n int) func(b *build, c int, lease, call, ret int64) {
		return func(b *build, c int, lease, call, ret int64) { b.permits(n, 3, c, lease, call, ret, 0) }
	}
	run(t, []row{
		{"a reader before a writer", orderedRW, nil, behind(writer, reader), map[string]int{"starved-writer": 1}},
		{"a writer before a reader", orderedRW, nil, behind(reader, writer), map[string]int{"unfair": 1}},
		{"a writer before a writer", orderedRW, nil, behind(writer, writer), map[string]int{"unfair": 1}},
		{"a reader before a reader", orderedRW, nil, behind(reader, reader), nil},
		{"a reader before a writer, of a lock that declares no order", rw, nil, behind(writer, reader), nil},
		{"one permit before two of three", orderedPermits, nil, behind(some(2), some(1)), nil},
		{"two before two of three", orderedPermits, nil, behind(some(2), some(2)), map[string]int{"unfair": 1}},
	})
}

package checker_test

import (
	"testing"
	"time"

	"locktorture/checker"
	"locktorture/history"
	"locktorture/locks"
)

// claim is a grant of L that was asked for in a mode.
func (b *build) claim(claim history.Op, client int, lease, call, ret, until int64) *build {
	from := len(b.h)
	b.grant(client, lease, call, ret, 0)
	for i := range b.h[from:] {
		o := &b.h[from+i]
		o.Mode, o.Permits, o.Capacity = claim.Mode, claim.Permits, claim.Capacity
	}
	if until > 0 {
		b.ask(lease, ret, ret, until, until)
	}
	return b
}

func (b *build) reader(client int, lease, call, ret, until int64) *build {
	return b.claim(history.Op{Mode: history.Shared}, client, lease, call, ret, until)
}

func (b *build) permits(n, of int, client int, lease, call, ret, until int64) *build {
	return b.claim(history.Op{Mode: history.Permits, Permits: n, Capacity: of}, client, lease, call, ret, until)
}

// A lock that several can hold, with leases that end and without.
var (
	rw      = checker.Options{Kind: locks.ReadWrite, TTL: 2 * time.Second, FreeWithin: 3 * time.Second, Retry: 50 * time.Millisecond}
	timedRW = func() checker.Options { o := bounded; o.Kind, o.Model = locks.ReadWrite, ""; return o }()
	permits = func() checker.Options { o := bounded; o.Kind, o.Model = locks.Semaphore, ""; return o }()
)

func TestReadersAndWriters(t *testing.T) {
	beside := map[string]int{"reader-beside-writer": 1}
	run(t, []row{
		{"readers beside readers", rw, nil, func(b *build) {
			b.reader(1, 1, 0, 10, 0).reader(2, 2, 0, 11, 0).reader(3, 3, 0, 12, 0)
		}, nil},
		{"a writer beside a reader", rw, nil, func(b *build) {
			b.reader(1, 1, 0, 10, 0).grant(2, 2, 0, 20, 0)
		}, beside},
		{"a reader beside a writer", rw, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 0).reader(2, 2, 0, 20, 0)
		}, beside},
		{"two writers", rw, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 0).grant(2, 2, 0, 20, 0)
		}, map[string]int{"double-grant": 1}},
		{"a writer after the last of the readers", rw, nil, func(b *build) {
			b.reader(1, 1, 0, 10, 0).reader(2, 2, 0, 11, 0).release(1, 20, 21, history.OK).release(2, 30, 31, history.OK).grant(3, 3, 0, 30, 0)
		}, nil},
		{"a writer before the last of them", rw, nil, func(b *build) {
			b.reader(1, 1, 0, 10, 0).reader(2, 2, 0, 11, 0).release(1, 20, 21, history.OK).release(2, 30, 31, history.OK).grant(3, 3, 0, 29, 0)
		}, beside},
		{"its own reader lease is no other's", rw, nil, func(b *build) {
			b.reader(1, 1, 0, 10, 0).grant(1, 2, 20, 30, 0)
		}, nil},
		{"its own does not hide another's that ends sooner", timedRW, nil, func(b *build) {
			b.reader(2, 1, 0, 10, 1500).reader(1, 2, 0, 11, 2000).grant(1, 3, 20, 1400, 3300)
		}, beside},
		{"when the reader's validity had ended", timedRW, nil, func(b *build) {
			b.reader(1, 1, 0, 10, 2000).grant(2, 2, 0, 2000, 3900)
		}, nil},
		{"while it lasted", timedRW, nil, func(b *build) {
			b.reader(1, 1, 0, 10, 2000).grant(2, 2, 0, 1999, 3900)
		}, beside},
		{"the release of a reader that is over takes nothing from another reader", timedRW, nil, func(b *build) {
			b.reader(1, 1, 0, 10, 2000).reader(2, 2, 2100, 2200, 4200).release(1, 2300, 2310, history.OK)
		}, nil},
		{"but from a writer", timedRW, nil, func(b *build) {
			b.reader(1, 1, 0, 10, 2000).grant(2, 2, 2100, 2200, 4200).release(1, 2300, 2310, history.OK)
		}, map[string]int{"foreign-release": 1}},
	})
}

// Nobody has a permit, and not all of them can be had.
func TestLostPermits(t *testing.T) {
	asks := func(b *build, n int, call, ret int64) {
		op := history.Op{F: history.Acquire, Lock: "L", Process: 2, Client: 2, Mode: history.Permits, Permits: n, Capacity: 3}
		b.add(call, ret, op, history.Fail, func(o *history.Op) { o.Refused = history.ByTime })
	}
	run(t, []row{
		{"all of them were waited for in vain", permits, nil, func(b *build) {
			b.permits(1, 3, 1, 1, 0, 10, 2000).release(1, 20, 21, history.OK)
			asks(b, 3, 30, 9000)
		}, map[string]int{"lost-permit": 1}},
		{"not for so long", permits, nil, func(b *build) {
			b.permits(1, 3, 1, 1, 0, 10, 2000).release(1, 20, 21, history.OK)
			asks(b, 3, 30, 3200)
		}, nil},
		{"somebody had one", permits, nil, func(b *build) {
			b.permits(1, 3, 1, 1, 0, 10, 0).ask(1, 10, 10, 20_000, 20_000)
			asks(b, 3, 30, 9000)
			b.release(1, 9100, 9101, history.OK)
		}, nil},
	})
}

// A reader that goes on after its lease is over harms a writer, not another reader.
func TestReaderOverrun(t *testing.T) {
	late := func(read string, next func(b *build)) func(b *build) {
		return func(b *build) {
			b.start(plain, "page/1", "0").reader(1, 1, 0, 10, 2000)
			next(b)
			b.store(1, plain, history.Read, "page/1", read, 1990, 2400).release(1, 2500, 2501, history.Fail)
		}
	}
	run(t, []row{
		{"beside another reader", timedRW, nil, late("0", func(b *build) {
			b.reader(2, 2, 0, 2100, 4000).store(2, plain, history.Read, "page/1", "0", 2110, 2120)
		}), nil},
		{"beside a writer, before whose write it landed", timedRW, nil, func(b *build) {
			b.start(plain, "page/1", "0").reader(1, 1, 0, 10, 2000).store(1, plain, history.Read, "page/1", "0", 1990, 2400)
			b.grant(2, 2, 0, 2100, 4000).store(2, plain, history.Write, "page/1", "1", 2110, 2120).release(1, 2500, 2501, history.Fail)
		}, nil},
		{"beside a writer, after whose write it landed", timedRW, nil, late("1", func(b *build) {
			b.grant(2, 2, 0, 2100, 4000).store(2, plain, history.Write, "page/1", "1", 2110, 2120)
		}), map[string]int{"overrun": 1}},
	})
}

func TestPermits(t *testing.T) {
	over := map[string]int{"over-capacity": 1}
	run(t, []row{
		{"as many as there are", permits, nil, func(b *build) {
			b.permits(1, 3, 1, 1, 0, 10, 2000).permits(2, 3, 2, 2, 0, 11, 2000)
		}, nil},
		{"one more", permits, nil, func(b *build) {
			b.permits(1, 3, 1, 1, 0, 10, 2000).permits(1, 3, 2, 2, 0, 11, 2000).permits(2, 3, 3, 3, 0, 12, 2000)
		}, over},
		{"a client's own count too", permits, nil, func(b *build) {
			b.permits(2, 3, 1, 1, 0, 10, 2000).permits(2, 3, 1, 2, 20, 30, 2000)
		}, over},
		{"when one of them had been released", permits, nil, func(b *build) {
			b.permits(2, 3, 1, 1, 0, 10, 2000).release(1, 20, 30, history.OK).permits(3, 3, 2, 2, 0, 20, 2000)
		}, nil},
		{"before that", permits, nil, func(b *build) {
			b.permits(2, 3, 1, 1, 0, 10, 2000).release(1, 20, 30, history.OK).permits(3, 3, 2, 2, 0, 19, 2000)
		}, over},
		{"when one of them had ended", permits, nil, func(b *build) {
			b.permits(2, 3, 1, 1, 0, 10, 2000).permits(3, 3, 2, 2, 0, 2000, 4000)
		}, nil},
		{"before it had", permits, nil, func(b *build) {
			b.permits(2, 3, 1, 1, 0, 10, 2000).permits(3, 3, 2, 2, 0, 1999, 4000)
		}, over},
		{"the first to end is not the first that was granted", permits, nil, func(b *build) {
			b.permits(1, 3, 1, 1, 0, 10, 2000).permits(2, 3, 2, 2, 0, 20, 1000).permits(2, 3, 3, 3, 0, 1500, 3400)
		}, nil},
		{"one that was over when it was first asked promised nothing", permits, nil, func(b *build) {
			b.permits(3, 3, 1, 1, 0, 10, 2000).permits(1, 3, 2, 2, 0, 1950, 0).over(2, 1950, 1951)
		}, nil},
		{"others work beside", permits, nil, func(b *build) {
			b.permits(1, 2, 1, 1, 0, 10, 2000).permits(1, 2, 2, 2, 0, 20, 2000)
			b.store(2, plain, history.Write, "x", "1", 30, 31).store(1, plain, history.Write, "y", "1", 32, 33)
		}, nil},
	})
}

// Somebody has all permits, and another is granted one beside them.
func TestExtraPermit(t *testing.T) {
	extra, over := map[string]int{"extra-permit": 1}, map[string]int{"over-capacity": 1}
	all := func(n int, then func(b *build)) func(b *build) {
		return func(b *build) {
			b.permits(n, 3, 1, 1, 100, 110, 2000).permits(1, 3, 2, 2, 120, 130, 1900).release(2, 140, 150, history.OK)
			then(b)
		}
	}
	given := func(b *build) { b.release(1, 160, 170, history.OK) }
	run(t, []row{
		{"one more than all", permits, nil, all(3, given), extra},
		{"one more than all but one", permits, nil, all(2, given), nil},
		{"all were not had by one", permits, nil, func(b *build) {
			b.permits(2, 3, 1, 1, 100, 110, 2000).permits(2, 3, 2, 2, 120, 130, 1900)
		}, over},
		{"who had all was told that they had been taken", permits, nil, all(3, func(b *build) { b.release(1, 160, 170, history.Fail) }), over},
		{"a fault was in place when they were asked for", permits, nil, all(3, func(b *build) { given(b.fault("clock", 1, 0, "n1", 50, 101)) }), over},
		{"a fault was healed just then", permits, nil, all(3, func(b *build) { given(b.fault("clock", 1, 0, "n1", 50, 100)) }), extra},
	})
}

// A writer that is let in beside a reader and beside a writer has broken both promises.
func TestWriterBesideBoth(t *testing.T) {
	run(t, []row{{"both are still promised", rw, nil, func(b *build) {
		b.grant(1, 1, 0, 10, 0).reader(2, 2, 0, 20, 0).grant(3, 3, 0, 30, 0)
	}, map[string]int{"double-grant": 1, "reader-beside-writer": 2}}})
}

package checker_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"locktorture/checker"
	"locktorture/checker/invariant"
	"locktorture/history"
)

// lostAt is a loss that the driver heard of at a moment and that is recorded at another.
func (b *build) lostAt(lease, heard, t int64) *build {
	b.lost(lease, t)
	b.h[len(b.h)-1].SetBegan(heard * ms)
	return b
}

// watch is what is told while a history goes on.
func watch(t *testing.T, o checker.Options, inv checker.Invariant, b *build) string {
	t.Helper()
	w := checker.NewWatch(o, inv)
	var kinds []string
	for _, op := range b.history(t) {
		for _, a := range w.Feed(&op) {
			kinds = append(kinds, fmt.Sprintf("%s %d", a.Kind, a.Time/ms))
		}
	}
	return strings.Join(kinds, ", ")
}

type watchRow struct {
	name string
	opt  checker.Options
	make func(b *build)
	want string
}

func watchAll(t *testing.T, rows []watchRow) {
	t.Helper()
	for _, c := range rows {
		b := newBuild()
		c.make(b)
		if got := watch(t, c.opt, nil, b); got != c.want {
			t.Errorf("%s: told %q, want %q", c.name, got, c.want)
		}
	}
}

// TestWatchMeetings: which two grants at a time are told of, and when: as soon as it is
// certain that the first holder lived.
func TestWatchMeetings(t *testing.T) {
	double := func(b *build) *build { return b.grant(1, 1, 0, 10, 2000).grant(2, 2, 100, 401, 2400) }
	watchAll(t, []watchRow{
		{"250 ms later it may have been dead", bounded, func(b *build) { double(b).until(651) }, ""},
		{"granted as the promise ended", bounded, func(b *build) { b.grant(1, 1, 0, 10, 401).grant(2, 2, 100, 401, 2400).until(700) }, ""},
		{"1 ms before", bounded, func(b *build) { b.grant(1, 1, 0, 10, 402).grant(2, 2, 100, 401, 2400).until(700) }, "double-grant 401"},
		{"the loss was heard of as the other was granted", boundedToo, func(b *build) { double(b).lostAt(1, 401, 405).until(700) }, ""},
		{"1 ms later", boundedToo, func(b *build) { double(b).lostAt(1, 402, 405).until(700) }, "double-grant 401"},
		{"a third client's loss says nothing of it", boundedToo, func(b *build) {
			b.grant(3, 3, 0, 1, 0)
			double(b).lostAt(3, 401, 405).until(652)
		}, "double-grant 401"},
		{"the first asks as the other is granted", bounded, func(b *build) { double(b).ask(1, 401, 401, 2300, 2300) }, "double-grant 401"},
		{"the first was killed as the other was granted", bounded, func(b *build) { double(b).killedAt(1, 401, 500).until(700) }, ""},
		{"1 ms later", bounded, func(b *build) { double(b).killedAt(1, 402, 500).until(700) }, "double-grant 401"},
		{"it is not said when", bounded, func(b *build) { double(b).crash(1, 500).until(700) }, ""},
		{"another was killed", bounded, func(b *build) { double(b).killedAt(3, 401, 402).until(652) }, "double-grant 401"},
		{"a lock that promises until the release: the first died, the second holds", mutex, func(b *build) {
			b.grant(1, 1, 0, 10, 0).grant(2, 2, 100, 401, 0).crash(1, 410).grant(3, 3, 100, 420, 0).until(700)
		}, "double-grant 420"},
		{"another was killed before", bounded, func(b *build) { b.grant(1, 1, 0, 10, 2000).crash(3, 20).grant(2, 2, 100, 401, 2400).until(700) }, "double-grant 401"},
		{"the first was", bounded, func(b *build) { b.grant(1, 1, 0, 10, 2000).crash(1, 20).grant(2, 2, 100, 401, 2400).until(700) }, ""},
		{"the first was told that it is over", bounded, func(b *build) { b.grant(1, 1, 0, 10, 2000).over(1, 300, 301).grant(2, 2, 310, 401, 2400).until(700) }, ""},
		{"its renewal was refused", bounded, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).add(300, 301, b.under(1, history.Renew), history.Fail, func(o *history.Op) { o.Refused = history.ByServer })
			b.grant(2, 2, 310, 401, 2400).until(700)
		}, "double-grant 401"},
		{"of two the one promised longest counts", bounded, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).grant(1, 2, 20, 30, 900).grant(2, 3, 100, 1000, 3000).until(1300)
		}, "double-grant 1000"},
	})
}

// TestWatchOverrun: what a holder may do in a store after the validity that it was told last.
func TestWatchOverrun(t *testing.T) {
	deed := func(f history.F) func(b *build) {
		return func(b *build) { b.grant(1, 1, 0, 10, 2000).store(1, plain, f, "x", "1", 2001, 2002) }
	}
	with := func(f history.F, answer history.Type) func(b *build) {
		return func(b *build) {
			b.grant(1, 1, 0, 10, 2000)
			b.add(1000, 1100, b.under(1, f), answer, func(o *history.Op) { o.Refused = history.ByServer })
			b.store(1, plain, history.Write, "x", "1", 2001, 2002)
		}
	}
	watchAll(t, []watchRow{
		{"it reads", bounded, deed(history.Read), "overrun 2001"},
		{"writes", bounded, deed(history.Write), "overrun 2001"},
		{"swaps", bounded, deed(history.CAS), "overrun 2001"},
		{"it was renewed and has not asked since", bounded, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).renew(1, 1000, 1100).store(1, plain, history.Write, "x", "1", 2001, 2002)
		}, ""},
		{"a renewal that was refused changes nothing", bounded, with(history.Renew, history.Fail), "overrun 2001"},
		{"nor one that had no answer", bounded, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).add(1000, -1, b.under(1, history.Renew), "", nil)
			b.process[1] = 101
			b.store(1, plain, history.Write, "x", "1", 2001, 2002)
		}, "overrun 2001"},
		{"it never asked", bounded, func(b *build) { b.grant(1, 1, 0, 10, 0).store(1, plain, history.Write, "x", "1", 2500, 2501) }, ""},
		{"a lock that promises until the release, whatever it tells", mutex, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).store(1, plain, history.Write, "x", "1", 2500, 2501)
		}, ""},
		{"another client in the name of its lease", bounded, func(b *build) {
			op := b.grant(1, 1, 0, 10, 2000).under(1, history.Write)
			op.Client, op.Process, op.Store, op.Key = 2, 2, plain, "L/x"
			b.add(2500, 2501, op, history.OK, nil)
		}, "overrun 2500"},
	})
}

// forgetter notes the values that are applied and the leases that are forgotten.
type forgetter struct{ log []string }

func (f *forgetter) Begin() checker.Replay { return f }
func (f *forgetter) Loss() checker.Loss    { return checker.Loss{} }
func (f *forgetter) Forget(lease int64)    { f.log = append(f.log, fmt.Sprint("over ", lease)) }

func (f *forgetter) Apply(op *history.Op) []checker.Anomaly {
	f.log = append(f.log, string(op.F)+" "+op.Value)
	return nil
}

// TestWatchStores: operations are replayed in the order in which the store applied them, and a
// lease is forgotten when nothing waits.
func TestWatchStores(t *testing.T) {
	b := newBuild().grant(1, 1, 0, 10, 2000)
	b.store(1, plain, history.CAS, "x", "1", 20, 21).store(1, plain, history.Write, "x", "2", 30, 40)
	b.stale(1, "x", "3", 50, 60) // applied nowhere
	b.store(1, plain, history.Read, "x", "4", 70, 75).release(1, 80, 90, history.OK)
	for i := range b.h {
		if n := &b.h[i].Apply; *n > 1 {
			*n = 5 - *n // the read was applied before the write
		}
	}
	f := &forgetter{}
	if got := watch(t, bounded, f, b); got != "" {
		t.Errorf("told %q", got)
	}
	want := []string{"cas 1", "read 4", "write 2", "over 1"}
	if !slices.Equal(f.log, want) {
		t.Errorf("%q, want %q", f.log, want)
	}
}

// TestWatchForgets: a lease is forgotten once its release was answered, and not before.
func TestWatchForgets(t *testing.T) {
	f := &forgetter{}
	w := checker.NewWatch(bounded, f)
	b := newBuild().grant(1, 1, 0, 10, 2000).store(1, plain, history.Write, "x", "2", 30, 40).release(1, 80, 90, history.OK)
	h := b.history(t)
	h = h[:len(h)-1] // without the end of the run
	for i := range h[:len(h)-1] {
		w.Feed(&h[i])
	}
	if n := len(f.log); n != 1 {
		t.Errorf("before the answer: %q", f.log)
	}
	w.Feed(&h[len(h)-1])
	if n := len(f.log); n != 2 {
		t.Errorf("after it: %q", f.log)
	}
}

// TestWatchWaiting: what an operation of unknown outcome keeps waiting is replayed as long as
// that is not too much.
func TestWatchWaiting(t *testing.T) {
	const most = 4096
	replayed := func(waiting int) int {
		f := &forgetter{}
		w := checker.NewWatch(bounded, f)
		for n := range int64(waiting) + 1 {
			op := history.Op{F: history.Write, Process: 1, Client: 1, Lease: 1, Store: plain, Key: "L/x", Type: history.Invoke, Time: n}
			w.Feed(&op)
			op.Type, op.Apply = history.OK, n+2
			if n == int64(waiting) {
				op.Apply = 1
			}
			w.Feed(&op)
		}
		return len(f.log)
	}
	if n := replayed(most); n != most+1 {
		t.Errorf("%d of %d were replayed", n, most+1)
	}
	if n := replayed(most + 1); n != 0 {
		t.Errorf("%d were replayed of more than may wait", n)
	}
}

// TestWatchStrays: what has no call, is the nemesis's, or is in a run without an invariant is
// passed over.
func TestWatchStrays(t *testing.T) {
	f := &forgetter{}
	w := checker.NewWatch(bounded, f)
	w.Feed(&history.Op{F: history.Write, Type: history.OK, Process: 1, Client: 1, Store: plain, Key: "L/x", Apply: 1})
	if len(f.log) > 0 {
		t.Errorf("an answer without a call: %q", f.log)
	}
	seven := func() *build {
		return newBuild().start(plain, "counter", "0").grant(1, 1, 0, 10, 2000).store(1, plain, history.Write, "counter", "7", 20, 21).until(700)
	}
	if got := watch(t, bounded, nil, seven()); got != "" {
		t.Errorf("without an invariant: %q", got)
	}
	if got := watch(t, bounded, invariant.Counter{}, seven()); got == "" {
		t.Error("with one nothing is told")
	}
}

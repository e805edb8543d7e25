package checker_test

import (
	"cmp"
	"slices"
	"strconv"
	"testing"
	"time"

	"locktorture/checker"
	"locktorture/history"
)

const ms = int64(time.Millisecond)

// A build makes a tiny history. Times are milliseconds. Entries may be added
// in any order; those of equal times stay in the order in which they came.
// Client c is process c, unless it got a successor.
type build struct {
	h       history.History
	process map[int]int
	holder  map[int64]history.Op // by lease
	token   map[int64]uint64
	apply   int64
	cut     bool // the history has no end
}

func newBuild() *build {
	return &build{process: map[int]int{}, holder: map[int64]history.Op{}, token: map[int64]uint64{}}
}

func (b *build) proc(client int) int {
	if p, ok := b.process[client]; ok {
		return p
	}
	return client
}

// add adds an operation; ret < 0 leaves it pending.
func (b *build) add(call, ret int64, inv history.Op, t history.Type, done func(*history.Op)) *build {
	inv.Time, inv.Type = call*ms, history.Invoke
	b.h = append(b.h, inv)
	if ret < 0 {
		return b
	}
	end := inv
	end.Time, end.Type = ret*ms, t
	if done != nil {
		done(&end)
	}
	b.h = append(b.h, end)
	return b
}

// grant is an acquire of L that returned ok, with its first answer if until > 0.
func (b *build) grant(client int, lease, call, ret, until int64) *build {
	return b.fenced(client, lease, call, ret, until, 0)
}

func (b *build) fenced(client int, lease, call, ret, until int64, token uint64) *build {
	op := history.Op{F: history.Acquire, Lock: "L", Process: b.proc(client), Client: client}
	b.holder[lease], b.token[lease] = op, token
	b.add(call, ret, op, history.OK, func(o *history.Op) {
		o.Lease, o.Token = lease, token
		o.Value = "p" + strconv.Itoa(o.Process) + ":" + strconv.FormatInt(lease, 10)
	})
	if until > 0 {
		b.ask(lease, ret, ret, until, until)
	}
	return b
}

func (b *build) under(lease int64, f history.F) history.Op {
	op := b.holder[lease]
	op.F, op.Lease, op.Token = f, lease, b.token[lease]
	op.Process = b.proc(op.Client)
	return op
}

func (b *build) ask(lease, call, ret, minimum, maximum int64) *build {
	return b.add(call, ret, b.under(lease, history.Ask), history.OK, func(o *history.Op) {
		o.UntilMin, o.UntilMax = minimum*ms, maximum*ms
	})
}

func (b *build) over(lease, call, ret int64) *build {
	return b.add(call, ret, b.under(lease, history.Ask), history.Fail, func(o *history.Op) { o.Refused = history.ByClient })
}

func (b *build) renew(lease, call, ret int64) *build {
	return b.add(call, ret, b.under(lease, history.Renew), history.OK, nil)
}

func (b *build) release(lease, call, ret int64, t history.Type) *build {
	return b.add(call, ret, b.under(lease, history.Release), t, nil)
}

func (b *build) try(client int, call, ret int64, t history.Type, refused string) *build {
	op := history.Op{F: history.Acquire, Lock: "L", Process: b.proc(client), Client: client}
	return b.add(call, ret, op, t, func(o *history.Op) { o.Refused = refused })
}

// refused is a try of L that was answered no.
func (b *build) refused(client int, call, ret int64) *build {
	op := history.Op{F: history.Try, Lock: "L", Process: b.proc(client), Client: client}
	return b.add(call, ret, op, history.Fail, func(o *history.Op) { o.Refused = history.ByServer })
}

func (b *build) store(lease int64, store string, f history.F, key, value string, call, ret int64) *build {
	op := b.under(lease, f)
	op.Store, op.Key = store, "L/"+key
	if f == history.Write {
		op.Value = value
	}
	b.apply++
	n := b.apply
	return b.add(call, ret, op, history.OK, func(o *history.Op) { o.Value, o.Apply = value, n })
}

// start writes the initial state.
func (b *build) start(store, key, value string) *build {
	b.apply++
	n := b.apply
	op := history.Op{F: history.Write, Lock: "L", Process: history.Harness, Store: store, Key: "L/" + key, Value: value}
	return b.add(0, 0, op, history.OK, func(o *history.Op) { o.Apply = n })
}

// stale is a write that the fenced store refused.
func (b *build) stale(lease int64, key, value string, call, ret int64) *build {
	op := b.under(lease, history.Write)
	op.Store, op.Key, op.Value = history.Fenced, "L/"+key, value
	return b.add(call, ret, op, history.Fail, func(o *history.Op) { o.Refused = history.ByStore })
}

func (b *build) event(t int64, op history.Op) *build {
	op.Time, op.Type = t*ms, history.Info
	b.h = append(b.h, op)
	return b
}

// crash kills a client and starts its successor.
func (b *build) crash(client int, t int64) *build {
	b.event(t, history.Op{F: history.Crash, Process: b.proc(client), Client: client})
	b.process[client] = b.proc(client) + 100
	return b
}

func (b *build) lost(lease, t int64) *build { return b.event(t, b.under(lease, history.Lost)) }

func (b *build) fault(kind string, n, client int, node string, from, to int64) *build {
	op := history.Op{F: history.Fault, Process: history.Nemesis, Fault: n, Key: kind, Client: client, Node: node}
	b.event(from, op)
	if to < 0 {
		return b
	}
	op.F = history.Heal
	return b.event(to, op)
}

func (b *build) stall(from, to int64) *build {
	return b.event(to, history.Op{F: history.Stall, Process: history.Harness, UntilMin: from * ms})
}

// early is a fault that began and then found nobody to strike.
func (b *build) early(kind string, n int, node string, began, missed int64) *build {
	b.event(missed, history.Op{F: history.Fault, Process: history.Nemesis, Fault: n, Key: kind, Node: node, UntilMin: began * ms})
	b.h[len(b.h)-1].Type = history.Fail
	return b
}

func (b *build) probe(t int64, owner string, until int64) *build {
	op := history.Op{F: history.Probe, Process: history.Harness, Lock: "L", Node: "n1", Value: owner}
	if owner != "" {
		op.UntilMax = until
		if until < history.Never {
			op.UntilMax = until * ms
		}
	}
	return b.event(t, op)
}

// until only moves the end of the history.
func (b *build) until(t int64) *build {
	return b.event(t, history.Op{F: history.Probe, Process: history.Harness, Lock: "other", Node: "n1"})
}

// ended adds the end of the run to a history.
func ended(h history.History, why string) history.History {
	end := history.Op{Process: history.Harness, Type: history.Info, F: history.End, Value: why}
	if len(h) > 0 {
		end.Time = h[len(h)-1].Time
	}
	return append(h, end)
}

func (b *build) history(t *testing.T) history.History {
	t.Helper()
	slices.SortStableFunc(b.h, func(x, y history.Op) int { return cmp.Compare(x.Time, y.Time) })
	if !b.cut {
		b.h = ended(b.h, history.Complete)
	}
	if err := history.Validate(b.h); err != nil {
		t.Fatalf("the test's own history: %v", err)
	}
	return b.h
}

// A row is a tiny history and what must be found in it, all of it.
type row struct {
	name string // says why the row exists
	opt  checker.Options
	inv  checker.Invariant
	make func(b *build)
	want map[string]int
}

func run(t *testing.T, rows []row) {
	t.Helper()
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			b := newBuild()
			r.make(b)
			res := checker.Check(b.history(t), r.opt, r.inv)
			for kind, n := range res.Counts.Anomalies {
				if r.want[kind] != n {
					t.Errorf("%d %s, want %d", n, kind, r.want[kind])
				}
			}
			for kind, n := range r.want {
				if res.Counts.Anomalies[kind] != n {
					t.Errorf("%d %s, want %d", res.Counts.Anomalies[kind], kind, n)
				}
			}
			for _, p := range res.Properties {
				for _, a := range p.Anomalies {
					t.Log(a.Sentence)
					if a.Sentence == "" || len(a.Ops) == 0 || a.Kind == "" || a.Property != p.Name {
						t.Errorf("anomaly without its witness: %+v", a)
					}
					if !slices.IsSortedFunc(a.Ops, func(x, y history.Op) int { return cmp.Compare(x.Time, y.Time) }) {
						t.Errorf("a witness out of order: %+v", a.Ops)
					}
				}
			}
		})
	}
}

// The kinds of lock.
var (
	bounded = checker.Options{Bounded: true, Expires: true, TTL: 2 * time.Second, Model: "lease", FreeWithin: 3 * time.Second, Retry: 50 * time.Millisecond}
	tokened = func() checker.Options { o := bounded; o.Tokens = true; return o }()
	watched = checker.Options{Watched: true, Expires: true, TTL: 2 * time.Second, Model: "lease", FreeWithin: 3 * time.Second, Retry: 50 * time.Millisecond}
	mutex   = checker.Options{Model: "", TTL: 2 * time.Second, FreeWithin: 3 * time.Second, Retry: 50 * time.Millisecond}
)

var boundedToo = func() checker.Options { o := watched; o.Bounded = true; return o }()

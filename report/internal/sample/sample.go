// Package sample makes realistic histories, with what a checker would say of
// them, for the tests of reports. Nothing of it is measured.
package sample

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"locktorture/history"
)

// Shape says what a sample looks like.
type Shape struct {
	Seed     uint64
	Clients  int
	Sections int
	Locks    int
	Broken   bool   // with faults that let two clients in at once
	Hostile  string // put into every name and message, if not empty
}

// Broken returns the sample that most tests use: a run in which faults let two clients in at
// once.
func Broken() Shape {
	return Shape{Seed: 7, Clients: 5, Sections: 300, Locks: 1, Broken: true}
}

// Op returns an operation on the lock L, so many milliseconds after the start of the run.
func Op(at int64, client int, typ history.Type, f history.F, lease int64) history.Op {
	return history.Op{Time: at * 1_000_000, Process: client - 1, Client: client, Type: typ, F: f, Lock: "L", Lease: lease}
}

// Hostile is everything at once that a server's error or a lock's name may
// try: markup, the end of a script, quotes, an escape sequence that clears
// the terminal, newlines, a right-to-left mark, no UTF-8, and length.
var Hostile = "<script>alert(1)</script>--><!--</style>\"'`${x}{{.}}&amp;\x1b[2J\x00\r\nunsafe  forged\u202e\u2028\xff" + strings.Repeat("A", 10_000)

const ttl = 2 * time.Second

// a world is the simulated run: it hands out sections in the order of time.
type world struct {
	Shape
	r       *rand.Rand
	ops     history.History
	free    []int64 // by lock, when it can be granted next
	ready   []int64 // by client, when it asks again
	lease   int64
	apply   [2]int64 // plain, fenced
	value   [2]int64
	overlap []overlap
	faults  []fault
	byLease map[int64][]history.Op
}

type overlap struct{ first, second grant }

type grant struct {
	client, lock int
	lease        int64
	at, until    int64 // granted, end of the validity
	end          int64 // release called
}

type fault struct {
	n          int
	from, to   int64
	kind, node string
	client     int
}

// History makes the history of a run in the order of its times.
func (s Shape) History() history.History { return s.simulate().ops }

func (s Shape) simulate() *world {
	if s.Locks == 0 {
		s.Locks = 1
	}
	w := &world{Shape: s, r: rand.New(rand.NewPCG(s.Seed, 1))}
	w.free = make([]int64, s.Locks)
	w.ready = make([]int64, s.Clients)
	for i := range w.ready {
		w.ready[i] = w.ms(1, 20)
	}
	var last grant
	for n := range s.Sections {
		g := w.section(w.next(), n)
		broken := s.Broken && n > 0 && n%40 == 0 && last.client != g.client
		if broken {
			w.intrude(g, n)
		}
		last = g
	}
	slices.SortStableFunc(w.ops, func(a, b history.Op) int { return cmp.Compare(a.Time, b.Time) })
	end := history.Op{Process: history.Harness, Type: history.Info, F: history.End, Value: history.Complete}
	if n := len(w.ops); n > 0 {
		end.Time = w.ops[n-1].Time
	}
	w.add(end)
	return w
}

// next returns the client that has been ready for longest.
func (w *world) next() int {
	c := 0
	for i, t := range w.ready {
		if t < w.ready[c] {
			c = i
		}
	}
	return c + 1
}

func (w *world) ms(lo, hi int) int64 { return int64(lo)*1e6 + w.r.Int64N(int64(hi-lo)*1e6) }

func (w *world) lockName(i int) string {
	return fmt.Sprintf("stock-%d%s", i, w.Hostile)
}

func (w *world) add(op history.Op) { w.ops = append(w.ops, op) }

// section writes one whole critical section of a client.
func (w *world) section(client, n int) grant {
	lock := w.r.IntN(w.Locks)
	call := w.ready[client-1]
	granted := max(call, w.free[lock]) + w.ms(1, 3)
	return w.hold(client, lock, call, granted, w.ms(4, 30), n)
}

func (w *world) hold(client, lock int, call, granted, length int64, n int) grant {
	w.lease++
	g := grant{client: client, lock: lock, lease: w.lease, at: granted, until: granted + int64(ttl)/80, end: granted + length}
	op := history.Op{Process: client - 1, Client: client, Lock: w.lockName(lock)}
	w.pair(op, history.Acquire, call, granted, func(o *history.Op) { o.Lease, o.Token, o.Value = g.lease, uint64(g.lease), "owner"+w.Hostile })
	op.Lease = g.lease
	w.pair(op, history.Ask, granted+1e5, granted+2e5, func(o *history.Op) { o.UntilMin, o.UntilMax = g.until-1e5, g.until })
	store := n % 2
	for i, f := range []history.F{history.Read, history.Write} {
		at := granted + length*int64(i+1)/3
		w.access(op, store, f, at, at > g.until)
	}
	w.pair(op, history.Release, g.end, g.end+w.ms(0, 2)+3e5, nil)
	w.free[lock] = max(w.free[lock], g.end+5e5)
	w.ready[client-1] = g.end + w.ms(3, 25)
	return g
}

func (w *world) pair(op history.Op, f history.F, call, ret int64, done func(*history.Op)) {
	op.F, op.Type, op.Time = f, history.Invoke, call
	w.add(op)
	op.Type, op.Time = history.OK, ret
	if done != nil {
		done(&op)
	}
	w.add(op)
}

func (w *world) access(op history.Op, store int, f history.F, at int64, stale bool) {
	op.Store, op.Key = []string{history.Plain, history.Fenced}[store], "stock"+w.Hostile
	if f == history.Write {
		w.value[store]++
	}
	op.Value = fmt.Sprint(w.value[store])
	if stale && store == 1 {
		op.Type, op.F, op.Time = history.Invoke, f, at
		w.add(op)
		op.Type, op.Time, op.Refused, op.Error = history.Fail, at+2e5, history.ByStore, "stale fencing token"+w.Hostile
		w.add(op)
		return
	}
	w.pair(op, f, at, at+2e5, func(o *history.Op) { w.apply[store]++; o.Apply = w.apply[store] })
}

// intrude strikes with a fault and lets another client in while g holds.
func (w *world) intrude(g grant, n int) {
	f := fault{n: len(w.faults) + 1, from: g.at + 5e5, to: g.end + 4e8, kind: []string{"clock", "pause"}[len(w.faults)%2]}
	f.node = fmt.Sprintf("redis-%d%s", f.n%5+1, w.Hostile)
	op := history.Op{Process: history.Nemesis, Type: history.Info, F: history.Fault, Time: f.from, Key: f.kind, Node: f.node, Fault: f.n, Value: "clock jumped ahead by 60 s" + w.Hostile}
	if f.kind == "pause" {
		f.client, f.node = g.client, fmt.Sprintf("client-%d", g.client)
		op.Client, op.Node, op.Value = f.client, f.node, "stopped between check and write"
	}
	w.add(op)
	op.F, op.Time = history.Heal, f.to
	w.add(op)
	w.faults = append(w.faults, f)
	other := g.client%w.Clients + 1
	from := max(g.at+1e6, w.ready[other-1])
	second := w.hold(other, g.lock, from-5e5, from, w.ms(5, 60), n+1)
	if second.at < g.end {
		w.overlap = append(w.overlap, overlap{g, second})
	}
}

package checker_test

import (
	"context"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"

	"locktorture/history"
	"locktorture/workloads"
)

// A workshop has clients run the sections of a workload step by step, side by side where its
// locks are bad.
type workshop struct {
	r       *rand.Rand
	h       history.History
	work    workloads.Workload
	broken  bool
	slow    bool // its first client
	now     int64
	lease   int64
	applied int64
	values  map[string]string // store and key
	clients []*worker
}

// A worker is a client in a section, or between two.
type worker struct {
	n, process int
	store      string
	section    workloads.Section
	leases     map[string]int64 // by lock; nil between sections
	next       func() (*request, bool)
	stop       func()
	now        *request // under way
	call       history.Op
}

// A request is what a section asks its store for.
type request struct {
	write      bool
	key, value string
	err        error
}

// A gate passes on what a section asks for, and waits for the answer.
type gate struct{ yield func(*request) bool }

func (g gate) ask(q *request) (string, error) {
	if !g.yield(q) {
		return "", workloads.ErrGone
	}
	return q.value, q.err
}

func (g gate) Read(_ context.Context, key string) (string, error) { return g.ask(&request{key: key}) }

func (g gate) Write(_ context.Context, key, value string) error {
	_, err := g.ask(&request{write: true, key: key, value: value})
	return err
}

// steps are what a section asks for.
func steps(run func(context.Context, workloads.Store) error) iter.Seq[*request] {
	return func(yield func(*request) bool) {
		gone := false
		_ = run(context.Background(), gate{func(q *request) bool {
			gone = gone || !yield(q)
			return !gone
		}})
	}
}

// worked makes the history of a workload.
func worked(r *rand.Rand, work workloads.Workload) history.History {
	s := &workshop{r: r, work: work, broken: r.IntN(4) > 0, slow: r.IntN(2) == 0, values: map[string]string{}}
	for _, store := range []string{plain, fencedS} {
		for q := range steps(work.Init) {
			op := s.op(history.Harness, 0, store, q)
			s.add(op)
			s.apply(&op, q)
			s.add(op)
		}
	}
	for n := 1; n <= 2+r.IntN(3); n++ {
		s.clients = append(s.clients, &worker{n: n, process: n})
	}
	for range 200 + r.IntN(500) {
		s.step(s.clients[r.IntN(len(s.clients))])
	}
	for _, c := range s.clients {
		if c.leases != nil {
			c.stop()
		}
	}
	return ended(s.h, history.Complete)
}

func (s *workshop) add(op history.Op) {
	s.now += s.r.Int64N(3) * ms
	op.Time = s.now
	s.h = append(s.h, op)
}

func (s *workshop) op(process, client int, store string, q *request) history.Op {
	lock, _, _ := strings.Cut(q.key, "/")
	op := history.Op{Process: process, Client: client, Type: history.Invoke, F: history.Read, Lock: lock, Store: store, Key: q.key}
	if q.write {
		op.F, op.Value = history.Write, q.value
	}
	return op
}

// apply has the store do what is asked for.
func (s *workshop) apply(op *history.Op, q *request) {
	s.applied++
	op.Type, op.Apply = history.OK, s.applied
	if q.write {
		s.values[op.Store+q.key] = q.value
	} else {
		q.value = s.values[op.Store+q.key]
		op.Value = q.value
	}
}

func (s *workshop) step(c *worker) {
	switch {
	case s.slow && c.n == 1 && s.r.IntN(8) > 0:
	case c.leases == nil:
		s.enter(c)
	case c.now != nil:
		s.answer(c)
	default:
		q, more := c.next()
		if !more {
			s.leave(c)
			return
		}
		op := s.op(c.process, c.n, c.store, q)
		op.Lease = c.leases[op.Lock]
		c.now, c.call = q, op
		s.add(op)
	}
}

// taken reports whether what others have of a lock leaves nothing for a section.
func (s *workshop) taken(lock string, section workloads.Section) bool {
	out := section.Permits
	for _, c := range s.clients {
		if c.leases[lock] == 0 || c.section.Shared && section.Shared {
			continue
		}
		if section.Permits == 0 {
			return true
		}
		out += c.section.Permits
	}
	return out > section.CapacityOf(lock)
}

// enter takes the locks of a section, if they are free, or are bad.
func (s *workshop) enter(c *worker) {
	section := s.work.Next(s.r, c.process)
	for _, lock := range section.Locks {
		if s.taken(lock, section) && (!s.broken || s.r.IntN(2) > 0) {
			return
		}
	}
	c.section, c.leases, c.store = section, map[string]int64{}, []string{plain, fencedS}[s.r.IntN(2)]
	c.next, c.stop = iter.Pull(steps(section.Run))
	for _, lock := range section.Locks {
		s.lease++
		c.leases[lock] = s.lease
		op := history.Op{Process: c.process, Client: c.n, Type: history.Invoke, F: history.Acquire, Lock: lock}
		s.add(op)
		op.Type, op.Lease = history.OK, s.lease
		s.add(op)
	}
}

func (s *workshop) leave(c *worker) {
	for _, lock := range slices.Backward(c.section.Locks) {
		op := history.Op{Process: c.process, Client: c.n, Type: history.Invoke, F: history.Release, Lock: lock, Lease: c.leases[lock]}
		s.add(op)
		op.Type = history.OK
		s.add(op)
	}
	s.cut(c)
}

// cut ends a section wherever it is.
func (s *workshop) cut(c *worker) {
	c.stop()
	c.leases, c.now = nil, nil
}

// answer ends what is under way: mostly it is applied, and the client hears of it.
func (s *workshop) answer(c *worker) {
	op, q := c.call, c.now
	c.now = nil
	if s.r.IntN(30) > 0 {
		s.apply(&op, q)
		s.add(op)
		return
	}
	if s.r.IntN(2) == 0 { // it arrived
		done := op
		s.apply(&done, q)
	}
	switch s.r.IntN(12) {
	case 0:
		op.Type, op.F, op.Lease, op.Store, op.Key, op.Value, op.Lock = history.Info, history.Crash, 0, "", "", "", ""
		s.add(op)
	case 1:
		op.Type = history.Info
		s.add(op)
	case 2: // nobody ever hears of it
	default: // refused; what arrived is another's then
		op.Type, op.Refused = history.Fail, history.ByStore
		s.add(op)
		s.leave(c)
		return
	}
	c.process += 100
	s.cut(c)
}

package checker

import (
	"cmp"
	"math"
	"slices"

	"locktorture/history"
)

// A view is a history made ready for judging: leases with what was done under
// them, waits, store operations, probes and faults. Everything points into
// the history, which is not copied.
type view struct {
	h        history.History
	o        Options
	end      int64 // time of the last entry
	locks    []*lockView
	byName   map[string]*lockView
	byLease  map[int64]*lease
	owners   map[ownerKey][]*lease // by owner value on the server, in the order of their calls
	clientOf map[int]int           // process → client
	live     map[int][]*lease      // client → leases neither released nor crashed yet; while indexing
	crashed  map[int]int64         // process → time
	crashes  []*history.Op
	alive    map[int]int64 // client → its last sign of life so far; while indexing
	stores   []*access     // all operations on stores, in the order of their calls
	faults   []*span
	prepared []window // in which a fault had begun but not yet its effect
	clients  map[int]bool

	roundTrip int64 // longest usual release, ns
}

// A lockView is what concerns one lock. Leases are in the order in which
// the grants returned, the others in the order of their calls.
type lockView struct {
	name     string
	leases   []*lease
	waits    []*wait
	probes   []*history.Op
	accesses []*access
}

// A wait is an acquire or a try, however it ended.
type wait struct {
	inv, ret *history.Op // ret is nil if it was under way at the end
	lock     string
	client   int
	process  int
	call     int64
	end      int64 // return, crash of the process, or the end of the history
	dead     bool  // ended by a crash, before its answer
	lease    *lease
}

// refused tells that the service certainly answered no.
func (w *wait) refused() bool {
	return w.ret != nil && w.ret.Type == history.Fail && w.ret.Refused != history.ByClient
}

// unknown tells that the lock may have been taken in the waiter's name.
func (w *wait) unknown() bool {
	return w.dead || w.ret == nil || w.ret.Type == history.Info
}

// An access is an operation on a store.
type access struct {
	inv, ret *history.Op
	lease    *lease // nil: the initial state
}

// sent tells that the operation left the client.
func (a *access) sent() bool {
	return a.ret == nil || a.ret.Refused != history.ByClient
}

func (a *access) refusedByStore() bool {
	return a.ret != nil && a.ret.Type == history.Fail && a.ret.Refused == history.ByStore
}

// applied returns the apply number, 0 if it is not known to be applied.
func (a *access) applied() int64 {
	if a.ret == nil || a.ret.Type == history.Fail {
		return 0
	}
	return a.ret.Apply
}

// returned is the time of the answer, the end of time if there was none.
func (a *access) returned() int64 {
	if a.ret == nil {
		return math.MaxInt64
	}
	return a.ret.Time
}

// op is the completion with whatever only the invocation names.
func (a *access) op() history.Op {
	if a.ret == nil {
		return *a.inv
	}
	op := *a.ret
	op.Lock = cmp.Or(op.Lock, a.inv.Lock)
	op.Store = cmp.Or(op.Store, a.inv.Store)
	op.Key = cmp.Or(op.Key, a.inv.Key)
	op.Lease = cmp.Or(op.Lease, a.inv.Lease)
	op.Client = cmp.Or(op.Client, a.inv.Client)
	if op.F != history.Read {
		op.Value = cmp.Or(op.Value, a.inv.Value)
	}
	return op
}

// index makes a view of a valid history.
func index(h history.History, o Options) *view {
	v := &view{
		h: h, o: o, byName: make(map[string]*lockView), byLease: make(map[int64]*lease), owners: make(map[ownerKey][]*lease),
		alive: make(map[int]int64), clientOf: make(map[int]int), live: make(map[int][]*lease), crashed: make(map[int]int64), clients: make(map[int]bool),
	}
	open := make(map[int]*history.Op)
	for i := range h {
		op := &h[i]
		if op.Process >= 0 && op.Client > 0 {
			v.clientOf[op.Process] = op.Client
			v.clients[op.Client] = true
			if !op.F.Event() {
				v.alive[op.Client] = op.Time
			}
		}
		switch {
		case op.Type == history.Invoke:
			open[op.Process] = op
		case op.F.Event():
			v.event(op)
		default:
			if inv := open[op.Process]; inv != nil && inv.F == op.F {
				delete(open, op.Process)
				v.operation(inv, op)
			}
		}
	}
	if len(h) > 0 {
		v.end = h[len(h)-1].Time
	}
	v.pending(open)
	v.finish()
	return v
}

// pending adds the operations that never returned, in the order of their calls.
func (v *view) pending(open map[int]*history.Op) {
	var rest []*history.Op
	for _, op := range open {
		rest = append(rest, op)
	}
	slices.SortFunc(rest, func(a, b *history.Op) int {
		return cmp.Or(cmp.Compare(a.Time, b.Time), cmp.Compare(a.Process, b.Process))
	})
	for _, op := range rest {
		v.operation(op, nil)
	}
}

func (v *view) lock(name string) *lockView {
	l := v.byName[name]
	if l == nil {
		l = &lockView{name: name}
		v.byName[name] = l
		v.locks = append(v.locks, l)
	}
	return l
}

// client returns the client of an entry; histories by other hands may have
// none, then each process is its own.
func (v *view) client(op *history.Op) int {
	if c := v.clientOf[op.Process]; c != 0 {
		return c
	}
	return -op.Process - 1
}

// finish sorts, and computes what needs the whole history.
func (v *view) finish() {
	slices.SortFunc(v.locks, func(a, b *lockView) int { return cmp.Compare(a.name, b.name) })
	byCall := func(a, b *access) int { return cmp.Compare(a.inv.Time, b.inv.Time) }
	slices.SortStableFunc(v.stores, byCall)
	v.finishFaults()
	v.roundTrip = v.usualRelease()
	for _, l := range v.locks {
		slices.SortStableFunc(l.accesses, byCall)
		slices.SortStableFunc(l.waits, func(a, b *wait) int { return cmp.Compare(a.call, b.call) })
		for _, w := range l.waits {
			v.finishWait(w)
		}
		l.linkNext()
		for _, g := range l.leases {
			v.finishLease(g)
		}
	}
}

func (v *view) finishWait(w *wait) {
	w.end = v.end
	if w.ret != nil {
		w.end = w.ret.Time
	}
	if at, ok := v.crashed[w.process]; ok && at >= w.call && at < w.end && w.lease == nil {
		w.end, w.dead = at, true
	}
}

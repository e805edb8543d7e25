package export

import (
	"bufio"
	"cmp"
	"fmt"
	"strings"

	"locktorture/history"
	"locktorture/report/diagram"
	"locktorture/timeline"
)

// A tracks writes the tracks of a trace.
type tracks struct {
	out      *bufio.Writer
	err      error
	count    int                       // of events
	numbers  map[string]int            // of tracks
	leases   map[int64]*timeline.Lease // that have not ended
	struck   map[int]*history.Op
	released map[string]*history.Op // by lock, the last that succeeded, until a grant came
	flows    int
	last     int64
}

// row puts an operation or an event onto its tracks.
func (t *tracks) row(r row) error {
	t.last = max(t.last, r.last.Time)
	switch op := r.last; op.F {
	case history.Fault:
		t.fault(op)
	case history.Heal:
		t.heal(op)
	case history.Probe:
		t.instant(nodes, cmp.Or(op.Node, "node"), "seen "+op.Lock+": "+cmp.Or(strings.Join(op.Owners(), ", "), "free"), r)
	case history.Stall:
		t.slice(machine, "stalls", r)
	case history.End:
		t.instant(machine, "stalls", "end: "+op.Why(), r)
	case history.Lost, history.Crash:
		t.instant(clients, diagram.ClientName(*op), string(op.F), r)
		for _, g := range append(r.ended, r.lease) {
			t.ends(g, op.Time)
		}
	default:
		t.slice(clients, diagram.ClientName(*op), r)
		t.lease(r)
	}
	return t.err
}

// slice is an operation of a client.
func (t *tracks) slice(pid int, track string, r row) {
	name := string(r.last.F)
	for _, part := range []string{r.first.Lock, r.last.Key} {
		if part != "" {
			name += " " + part
		}
	}
	if r.result != "ok" && r.result != "event" {
		name += ": " + r.result
	}
	t.put(event{
		Name: name, Cat: string(r.last.F), Ph: "X", TS: micro(r.start()), Dur: micro(r.last.Time - r.start()),
		PID: pid, TID: t.track(pid, track), Args: args(r),
	})
}

func (t *tracks) instant(pid int, track, name string, r row) {
	t.put(event{Name: name, Cat: string(r.last.F), Ph: "i", S: "t", TS: micro(r.last.Time), PID: pid, TID: t.track(pid, track), Args: args(r)})
}

// lease keeps the leases of locks, from grant to release, and the flows between them.
func (t *tracks) lease(r row) {
	op := r.last
	switch {
	case r.lease != nil && r.lease.Ret == op:
		t.leases[op.Lease] = r.lease
		t.put(event{Name: held(op), Cat: "lease", Ph: "b", ID: leaseID(op.Lease), TS: micro(op.Time), PID: locks, TID: t.track(locks, op.Lock), Args: args(r)})
		if before := t.released[op.Lock]; before != nil {
			t.flow(before, op)
			delete(t.released, op.Lock)
		}
	case op.F == history.Release && r.result != "open":
		t.ends(r.lease, op.Time)
		if op.Type == history.OK {
			t.released[op.Lock] = op
		}
	}
}

// ends is the end of a lease; nil has none.
func (t *tracks) ends(g *timeline.Lease, at int64) {
	if g == nil || t.leases[g.Number] == nil {
		return
	}
	delete(t.leases, g.Number)
	t.put(event{Name: held(g.Ret), Cat: "lease", Ph: "e", ID: leaseID(g.Number), TS: micro(at), PID: locks, TID: t.track(locks, g.Ret.Lock)})
}

func held(op *history.Op) string {
	return fmt.Sprintf("%s holds %s, lease %d", diagram.ClientName(*op), op.Lock, op.Lease)
}

func leaseID(n int64) string { return fmt.Sprintf("lease-%d", n) }

// flow goes from a release to the grant that came next. A flow binds to the slice that is
// around its time.
func (t *tracks) flow(from, to *history.Op) {
	t.flows++
	id := fmt.Sprintf("flow-%d", t.flows)
	at := func(op *history.Op, ph string) event {
		return event{Name: "handed over", Cat: "hand-over", Ph: ph, BP: "e", ID: id, TS: micro(op.Time), PID: clients, TID: t.track(clients, diagram.ClientName(*op))}
	}
	begin := at(from, "s")
	begin.BP = ""
	t.put(begin)
	t.put(at(to, "f"))
}

func faultID(n int) string { return fmt.Sprintf("fault-%d", n) }

func (t *tracks) fault(op *history.Op) {
	if op.Type == history.Fail {
		t.instant(faults, op.Kind(), op.Kind()+": had no target", row{first: op, last: op, result: "fail"})
		return
	}
	began := op.Time
	if at, ok := op.Began(); ok {
		began = at
	}
	t.struck[op.Fault] = op
	t.put(event{Name: faultName(op), Cat: "fault", Ph: "b", ID: faultID(op.Fault), TS: micro(began), PID: faults, TID: t.track(faults, op.Kind()), Args: args(row{first: op, last: op, result: "event"})})
}

func (t *tracks) heal(op *history.Op) {
	if was := t.struck[op.Fault]; was != nil {
		delete(t.struck, op.Fault)
		t.healed(was, op.Time)
	}
}

func (t *tracks) healed(was *history.Op, at int64) {
	t.put(event{Name: faultName(was), Cat: "fault", Ph: "e", ID: faultID(was.Fault), TS: micro(at), PID: faults, TID: t.track(faults, was.Kind())})
}

func faultName(op *history.Op) string {
	on := op.Node
	if op.Client > 0 {
		on = fmt.Sprintf("c%d", op.Client)
	}
	return strings.TrimSpace(op.Kind() + " " + on)
}

// close ends at the end of the history what was not ended in it.
func (t *tracks) close() {
	for _, g := range sorted(t.leases, func(g *timeline.Lease) int { return int(g.Number) }) {
		t.ends(g, t.last)
	}
	for _, was := range sorted(t.struck, func(op *history.Op) int { return op.Fault }) {
		t.healed(was, t.last)
	}
}

// args returns what a reader sees of a slice: the cells of its row.
func args(r row) map[string]any {
	out := map[string]any{}
	for _, c := range columns {
		if v := c.of(r); v != "" && c.name != "line" && c.name != "start_s" && c.name != "end_s" {
			out[c.name] = v
		}
	}
	return out
}

package checker

import (
	"cmp"
	"math"
	"slices"

	"locktorture/checker/linear"
	"locktorture/history"
)

// source is where an operation that was judged stands in the history.
type source struct{ inv, ret *history.Op }

// lockOperations translates what was done with a lock. What is done with a lease belongs to
// the process that it was granted to, also when the client has a new process number since.
// Re-entries are left out if the model does not know of them: to all others the lock is held
// from the outermost grant to the outermost release. A grant that repeats the token of what its
// process had been told was over is one: the service shows that it was not.
func (r *nonlinearizable) lockOperations(l *lockView, waits []*wait, reentries bool) ([]linear.Operation, []source) {
	if r.run.o.Kind == barrierKind {
		return r.partyOperations(l, waits)
	}
	t := translation{expires: r.run.o.Expires, alone: r.run.o.Kind == "" || r.run.o.isElection(), election: r.run.o.Model == electionModel, blind: r.run.o.Blind}
	if r.run.o.Model == "timed-lease" && r.run.o.Bounded {
		t.limit = int64(r.run.o.TTL)
	}
	for _, g := range l.leases[:l.judged] {
		if !g.within() || reentries {
			t.wait(g.wait)
		}
	}
	for _, w := range waits {
		if w.asked() && (!w.reenters() || reentries) { // else nothing was asked of the service
			t.wait(w)
		}
	}
	for _, g := range l.leases {
		if !g.within() || reentries {
			t.lease(g)
		}
	}
	if t.election {
		t.observations(l.observations)
	}
	return t.inOrder()
}

// A translation collects operations for a model, with where they come from.
type translation struct {
	expires bool // leases end by themselves
	alone   bool // whoever holds the lock holds it alone: its models know no claims
	// limit is the TTL of a lock whose holders are told how much of it they have, which is all
	// that its model may hold it to: memcached promises a second less. 0: holders are told
	// nothing, and the model takes the TTL.
	limit int64
	// election: the model is that of elections, with observers.
	election bool
	// blind: that a release was done says nothing of the lease.
	blind bool
	list  []linear.Operation
	from  []source
	lines []int
}

func (t *translation) add(f linear.F, process int, token uint64, inv, ret *history.Op, line int) {
	if t.election {
		f = inElection(f)
	}
	op := linear.Operation{Process: process, F: f, Token: token, Call: inv.Time}
	if ret != nil {
		op.Return = ret.Time
		switch ret.Type {
		case history.OK:
			op.Status = linear.OK
		case history.Fail:
			op.Status = linear.Refused
		}
	}
	t.list = append(t.list, op)
	t.from = append(t.from, source{inv, ret})
	t.lines = append(t.lines, line)
}

func (t *translation) wait(w *wait) {
	var token uint64
	if w.lease != nil {
		token = w.lease.token
	}
	t.add(linear.Acquire, w.process, token, w.inv, w.ret, w.line)
	t.claim(w)
	t.campaign(w)
}

// claim says of the latest operation, an acquire, what it asked for, and for how long that is
// guaranteed: without end, or where leases end by themselves as long as the holder was told to
// have it, from the answer on.
func (t *translation) claim(w *wait) {
	op := &t.list[len(t.list)-1]
	if t.limit > 0 {
		op.TTL = t.promised(w.lease, w.ret)
	}
	if t.alone {
		return
	}
	op.Shared, op.Permits = w.inv.Mode == history.Shared, uint32(w.inv.Permits)
	switch {
	case !t.expires:
		op.TTL = math.MaxInt64
	case w.lease != nil && len(w.lease.answers) > 0:
		op.TTL = max(1, w.lease.answers[0].min-w.lease.granted())
	default:
		op.TTL = 1 // it promised nothing
	}
}

// promised is how long, from the answer of its grant or of a renewal on, a holder was told to
// have its lease.
func (t *translation) promised(g *lease, granted *history.Op) int64 {
	if g == nil || granted == nil {
		return 1 // nothing
	}
	for _, a := range g.answers {
		if a.at >= granted.Time {
			return min(max(1, a.min-granted.Time), t.limit)
		}
	}
	return 1
}

// lease adds what was done with a lease after its grant.
func (t *translation) lease(g *lease) {
	defer func(from int) {
		for i := range t.list[from:] {
			t.list[from+i].Shared = g.shared
		}
	}(len(t.list))
	for i, c := range g.renewals {
		t.add(linear.Renew, g.process, g.token, c.Invoke, c.Return, g.renewLines[i])
		if t.limit > 0 {
			t.list[len(t.list)-1].TTL = t.promised(g, c.Return)
		}
	}
	if g.relCall != nil {
		t.add(linear.Release, g.process, g.token, g.relCall, g.relRet, g.relLine)
		t.resignation() // first: of an election it is known what a success does not tell
		t.unsaid()
	}
	if end, line := g.ending(); end != nil {
		t.add(linear.End, g.process, 0, end, nil, line)
		if end == g.crash {
			t.list[len(t.list)-1].Call = max(g.killed, g.granted()) // it was granted before it died
		}
	}
}

// unsaid makes the outcome of the latest operation, a release that was done, unknown where that
// says nothing of the lease.
func (t *translation) unsaid() {
	if op := &t.list[len(t.list)-1]; t.blind && op.Status == linear.OK {
		op.Status = linear.Pending
	}
}

// inOrder returns the operations in the order of their calls; lines order what has one stamp.
func (t *translation) inOrder() ([]linear.Operation, []source) {
	order := make([]int, len(t.list))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(t.list[a].Call, t.list[b].Call), cmp.Compare(t.lines[a], t.lines[b]))
	})
	list, from := make([]linear.Operation, len(order)), make([]source, len(order))
	for i, j := range order {
		list[i], from[i] = t.list[j], t.from[j]
		list[i].Line = i
	}
	return list, from
}

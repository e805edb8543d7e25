package rule

import (
	"cmp"
	"math"
	"slices"

	"locktorture/checker/linear"
	"locktorture/history"
	"locktorture/timeline"
)

// A Source is where an operation that was judged stands in the history; Ret is nil if it was never
// answered.
type Source struct{ Inv, Ret *history.Op }

// lockOperations translates the calls for a lock, and under its leases, into operations of the
// model. Operations under a lease belong to the process that the lease was granted to, even if
// the client has a new process number since. Re-entries are left out if the model does not
// know them: for such a model, the lock is held from the outermost grant to the outermost
// release. A process may be told that its lease is over, and then be granted the lock with the
// same token. That counts as a re-entry, because the service shows that the lease was not
// over. A call that the client's own guard refused asked nothing of the service, so it is no
// operation. Leases of earlier pieces that the fold still keeps are translated again: whatever
// an earlier lease could contradict, these contradict too.
func (r *nonlinearizable) lockOperations(l *timeline.Lock, waits []*timeline.Call, reentries bool) ([]linear.Operation, []Source) {
	if r.run.Options.Kind == timeline.BarrierKind {
		return r.partyOperations(l, waits)
	}
	t := translation{expires: r.run.Options.Expires, alone: r.run.Options.Kind == "" || r.run.Options.IsElection(), election: r.run.Options.Model == electionModel, blind: r.run.Options.Blind}
	// Where holders learn no validity, the model holds the lock to its TTL.
	if r.run.Options.Model == "timed-lease" && r.run.Options.Bounded {
		t.limit = int64(r.run.Options.TTL)
	}
	for _, g := range l.Leases[:l.Judged] {
		if !g.Within() || reentries {
			t.wait(g.Call)
		}
	}
	for _, w := range waits {
		if w.Asked() && (!w.Reenters() || reentries) { // else nothing was asked of the service
			t.wait(w)
		}
	}
	for _, g := range l.Leases {
		if !g.Within() || reentries {
			t.lease(g)
		}
	}
	if t.election {
		t.observations(l.Observations)
	}
	return t.inOrder()
}

// A translation collects operations for a model, and where they come from.
// Times and TTLs are in ns, on the clock of the history.
type translation struct {
	expires bool // leases end by themselves
	alone   bool // whoever holds the lock holds it alone: its models know no claims
	// limit is the TTL of a lock that tells its holders for how long their leases are valid.
	// The model may hold such a lock only to the validity that it told: memcached promises a
	// second less than the TTL. If limit is 0, holders are told nothing, and the model takes
	// the TTL.
	limit int64
	// election selects the model of an election, with observers.
	election bool
	// blind means that a successful release does not prove that the lease was still held.
	blind bool
	// from and lines belong to list, place by place: the entries, and the line of the call.
	list  []linear.Operation
	from  []Source
	lines []int
}

// add takes an operation that was called at inv. Without an answer, or with an answer of
// unknown outcome, it may take effect at any time from its call on, or never.
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
	t.from = append(t.from, Source{inv, ret})
	t.lines = append(t.lines, line)
}

func (t *translation) wait(w *timeline.Call) {
	var token uint64
	if w.Lease != nil {
		token = w.Lease.Token
	}
	t.add(linear.Acquire, w.Holder(), token, w.Inv, w.Ret, w.Line)
	t.claim(w)
	t.campaign(w)
}

// claim notes what the latest operation, an acquire, asked for, and for how long the lock
// guarantees it: without end, or, where leases end by themselves, for the validity that the holder
// was told, from the answer on.
func (t *translation) claim(w *timeline.Call) {
	op := &t.list[len(t.list)-1]
	if t.limit > 0 {
		op.TTL = t.promised(w.Lease, w.Ret)
	}
	if t.alone {
		return
	}
	op.Shared, op.Permits = w.Inv.Mode == history.Shared, uint32(w.Inv.Permits)
	switch {
	// Such a hold has no end of its own.
	case !t.expires:
		op.TTL = math.MaxInt64
	// The grant was made no later than it returned, so this TTL ends no later than the validity.
	case w.Lease != nil && len(w.Lease.Answers) > 0:
		op.TTL = max(1, w.Lease.Answers[0].Min-w.Lease.Granted())
	default:
		op.TTL = 1 // it promised nothing
	}
}

// promised returns the validity that a holder was told, in ns from the answer to its grant or
// to a renewal. Never more than the TTL counts. One ns stands for a validity that was over
// when it was reported.
func (t *translation) promised(g *timeline.Lease, granted *history.Op) int64 {
	if g == nil || granted == nil {
		return 1 // nothing
	}
	for _, a := range g.Answers {
		if a.At >= granted.Time {
			return min(max(1, a.Min-granted.Time), t.limit)
		}
	}
	return 1
}

// lease adds the operations under a lease after its grant.
func (t *translation) lease(g *timeline.Lease) {
	defer func(from int) {
		for i := range t.list[from:] {
			t.list[from+i].Shared = g.Shared
		}
	}(len(t.list))
	for i, c := range g.Renewals {
		t.add(linear.Renew, g.Process, g.Token, c.Invoke, c.Return, g.RenewLines[i])
		if t.limit > 0 {
			t.list[len(t.list)-1].TTL = t.promised(g, c.Return)
		}
	}
	// Further releases of the same lease are no operations of the model.
	if g.RelCall != nil {
		t.add(linear.Release, g.Process, g.Token, g.RelCall, g.RelRet, g.RelLine)
		t.resignation() // first, because in an election it is known what a success does not show
		t.unsaid()
	}
	if end, line := g.Ending(); end != nil {
		t.add(linear.End, g.Process, 0, end, nil, line)
		// The entry of a crash comes late: the service may have seen the connection end before.
		if end == g.Crash {
			t.list[len(t.list)-1].Call = max(g.Killed, g.Granted()) // it was granted before it died
		}
	}
}

// unsaid makes the outcome of the latest operation, a release, unknown if its success says
// nothing about the lease. Otherwise a correct lock could be accused: its client stood still,
// the lease expired, and the release that found nothing was answered with ok.
func (t *translation) unsaid() {
	if op := &t.list[len(t.list)-1]; t.blind && op.Status == linear.OK {
		op.Status = linear.Pending
	}
}

// inOrder returns the operations in the order of their calls. Lines order the operations that
// have the same time.
func (t *translation) inOrder() ([]linear.Operation, []Source) {
	order := make([]int, len(t.list))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(t.list[a].Call, t.list[b].Call), cmp.Compare(t.lines[a], t.lines[b]))
	})
	list, from := make([]linear.Operation, len(order)), make([]Source, len(order))
	for i, j := range order {
		list[i], from[i] = t.list[j], t.from[j]
		list[i].Line = i
	}
	return list, from
}

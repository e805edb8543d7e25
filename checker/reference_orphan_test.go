package checker_test

import (
	"fmt"
	"slices"

	"locktorture/history"
)

// orphans counts the times in which servers kept a lock for a client that had given it up.
func (r *reference) orphans() (n int) {
	n = r.leftovers() + r.leftHolds()
	for _, lock := range r.locks() {
		for _, t := range r.tenures(lock) {
			ended, until := r.givenUp(t)
			looks := slices.DeleteFunc(slices.Clone(t.looks), func(p history.Op) bool { return p.Time <= ended || p.Time >= until })
			if t.owner == "" || len(looks) == 0 {
				continue
			}
			first, last := looks[0].Time, looks[len(looks)-1].Time
			copied := r.copied(first, last)
			asked := last
			if p := looks[len(looks)-1]; p.UntilMin != 0 {
				asked = p.UntilMin
			}
			if asked-first > r.patience() && asked > ended && !copied {
				n++
			}
		}
	}
	return n
}

// givenUp is when the client whose name the servers show gave the lock up, never if it did not
// for certain, and until when the name proves that.
func (r *reference) givenUp(t *refTenure) (ended, until int64) {
	g, grants := r.ownerAt(t.lock, t.owner, t.from)
	if g == nil {
		return r.givenUpBefore(t), never
	}
	rel := g.release
	if rel == nil || rel.ret == nil || rel.ret.Type == history.Info || g.lost != nil && rel.ret.Type == history.Fail && g.lost.Time <= rel.ret.Time {
		return never, never
	}
	until = never
	for _, op := range r.calls(t.lock, g.client, len(r.h)) {
		if grants > 1 && op.inv.Time > g.call {
			until = min(until, op.inv.Time)
		}
	}
	return rel.ret.Time, until
}

// calls are a client's calls for a lock before an entry, the latest first; a re-entry in the
// same name is none.
func (r *reference) calls(lock string, client, line int) (out []*refOp) {
	for _, op := range r.ops {
		asks := op.inv.F == history.Acquire || op.inv.F == history.Try
		again := op.within != nil && (op.lease == nil || op.lease.owner == op.within.owner)
		if asks && op.inv.Lock == lock && op.inv.Client == client && op.line < line && !again {
			out = append(out, op)
		}
	}
	slices.SortFunc(out, func(a, b *refOp) int { return b.line - a.line })
	return out
}

// givenUpBefore returns the end of the call that must have left an owner's name: no grant has the
// name, so a call that was not granted wrote it.
func (r *reference) givenUpBefore(t *refTenure) int64 {
	var process, client int
	if _, err := fmt.Sscanf(t.owner, "p%d:", &process); err != nil {
		return never
	}
	for _, e := range r.h {
		if e.Process == process && e.Client > 0 {
			client = e.Client
		}
	}
	for _, op := range r.ops {
		if op.within != nil && op.inv.Lock == t.lock && op.inv.Client == client && op.ret != nil && op.line < t.line && op.retLine > t.line {
			return never // a re-entry was under way
		}
	}
	calls := r.lastCalls(t.lock, client, t.line)
	struck := func(f refFault) bool { return f.client == 0 || f.client == client }
	if len(calls) > 0 && calls[0].lease != nil && calls[0].lease.owner != "" && calls[0].lease.owner != t.owner && !r.meets(calls[0].inv.Time, t.from, struck) {
		calls = calls[1:] // that one has another name
		if len(calls) == 0 || !refused(calls[0]) || r.seenWithout(t, r.endOf(calls[0])) {
			return never
		}
	}
	calls = slices.DeleteFunc(calls, func(op *refOp) bool { return op.inv.Time >= t.from || !r.sameLife(client, process, op.inv.Process) })
	if len(calls) == 0 || calls[0].ret == nil || r.died(calls[0]) {
		return never
	}
	for _, op := range calls[1:] { // an earlier one of unknown outcome may have left it
		if r.unknown(op) {
			if r.died(op) || !r.seenWithout(t, r.endOf(op)) {
				return never
			}
			break
		}
	}
	unsaid := calls[0].ret.Type == history.Info && !r.meets(calls[0].inv.Time, t.from, struck) && r.seenWithout(t, r.endOf(calls[0]))
	if refused(calls[0]) || unsaid {
		return calls[0].ret.Time
	}
	return never
}

// lastCalls are the last two of the calls, and the latest of unknown outcome before them.
func (r *reference) lastCalls(lock string, client, line int) []*refOp {
	calls := r.calls(lock, client, line)
	for i, op := range calls {
		if i >= 2 && r.unknown(op) {
			return []*refOp{calls[0], calls[1], op}
		}
	}
	return calls[:min(2, len(calls))]
}

func (r *reference) unknown(op *refOp) bool {
	return r.died(op) || op.ret == nil || op.ret.Type == history.Info
}

func refused(op *refOp) bool {
	return op.ret != nil && op.ret.Type == history.Fail && op.ret.Refused != history.ByClient
}

// died reports whether the process was killed before the answer.
func (r *reference) died(op *refOp) bool {
	return slices.ContainsFunc(r.crashes, func(e history.Op) bool {
		return e.Process == op.inv.Process && op.lease == nil && e.Time >= op.inv.Time && (op.ret == nil || e.Time < op.ret.Time)
	})
}

// seenWithout reports whether the servers were seen without the owner after a moment, and
// before it was there.
func (r *reference) seenWithout(t *refTenure, at int64) bool {
	return slices.ContainsFunc(r.h, func(p history.Op) bool {
		return p.F == history.Probe && p.Lock == t.lock && p.Value != t.owner && askedFor(p) > at && p.Time < t.from
	})
}

// sameLife reports whether a client was not killed between two of its processes.
func (r *reference) sameLife(client, from, to int) bool {
	return to >= from && !slices.ContainsFunc(r.h, func(e history.Op) bool {
		return e.F == history.Crash && e.Client == client && e.Process >= from && e.Process < to
	})
}

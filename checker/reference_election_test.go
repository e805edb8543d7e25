package checker_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"locktorture/checker"
	"locktorture/history"
	"locktorture/locks"
)

// ofElections are the kinds that elections alone show.
var ofElections = []string{"two-leaders", "zombie-candidate", "observer-disagrees"}

// TestReferenceElections compares as TestReference does, on histories of elections with
// observers.
func TestReferenceElections(t *testing.T) {
	compareWithReference(t, elected, func(kind string) bool { return slices.Contains(append(ofElections, "orphan"), kind) })
}

// elected is a damaged history of an election, with observers who are told of one of the
// latest leaders, or of a candidate.
func elected(r *rand.Rand) (history.History, checker.Options) {
	o := someOptions(r)
	o.Kind, o.Reentrant, o.Tokens = locks.Election, false, r.IntN(3) > 0
	h, o := damage(r, o)
	values := map[int]string{}
	latest := map[string][]history.Op{} // lock → what an observer may be told
	var out history.History
	for i, op := range h {
		if op.F == history.Acquire || op.F == history.Try {
			op.Mode = history.Campaign
			if op.Type == history.Invoke {
				op.Value = fmt.Sprintf("v%d", i/(1+r.IntN(20)))
				values[op.Process] = op.Value
			}
			seen := history.Op{Lock: op.Lock, Value: values[op.Process], Token: op.Token}
			latest[op.Lock] = append(latest[op.Lock], seen)
		}
		out = append(out, op)
		if all := latest[op.Lock]; op.F != history.End && len(all) > 0 && r.IntN(3) == 0 {
			out = append(out, look(r, all[max(0, len(all)-1-r.IntN(4))], op.Time)...)
		}
	}
	return out, o
}

// look is an observation at one moment.
func look(r *rand.Rand, of history.Op, at int64) history.History {
	p := 1_000_000 + r.IntN(3)
	call := history.Op{Time: at, Process: p, Client: p, Type: history.Invoke, F: history.Observe, Lock: of.Lock}
	told := call
	told.Type = history.OK
	if r.IntN(8) > 0 {
		told.Value, told.Token = of.Value, of.Token
	}
	if r.IntN(10) == 0 && told.Token > 0 {
		told.Token += uint64(r.IntN(3)) - 1
	}
	return history.History{call, told}
}

// looks are the observations of a lock in the order of their answers.
func (r *reference) looks(lock string) (all []*refOp) {
	for _, op := range r.ops {
		if op.inv.F == history.Observe && op.inv.Lock == lock && op.ret != nil && op.ret.Type == history.OK {
			all = append(all, op)
		}
	}
	slices.SortStableFunc(all, func(a, b *refOp) int { return int(a.ret.Time - b.ret.Time) })
	return all
}

func (r *reference) elections() []string {
	if r.o.Kind != locks.Election {
		return nil
	}
	return r.locks()
}

func (r *reference) twoLeaders() int { return r.twice(history.Campaign) }

// zombies are the grants before whose return a later term was seen, or told to its leader, and
// that did not say at once that they were over.
func (r *reference) zombies() (n int) {
	for _, lock := range r.elections() {
		for _, g := range r.leases {
			if g.lock != lock || g.token == 0 {
				continue
			}
			later := slices.ContainsFunc(r.looks(lock), func(o *refOp) bool { return o.ret.Token > g.token && o.ret.Time < g.ret }) ||
				slices.ContainsFunc(r.leases, func(x *refLease) bool { return x.lock == lock && x.token > g.token && x.ret < g.ret })
			told := r.overAtFirst(g) || r.o.Watched && g.lost != nil && toldOf(g.lost)-g.ret <= r.patience()
			if later && !told {
				n++
			}
		}
	}
	return n
}

// disagreements are the terms that have two leaders, the times that an observer sees a former
// leader again, and the pairs of observers that see two leaders without a term in opposite
// orders.
func (r *reference) disagreements() (n int) {
	for _, lock := range r.elections() {
		n += r.termsOfTwo(lock)
		seen := map[*refOp][]*refOp{} // first look of an observer → all of them, where the leader is another than before
		var observers []*refOp
		for _, o := range r.looks(lock) {
			if o.ret.Value == "" {
				continue
			}
			i := slices.IndexFunc(observers, func(f *refOp) bool {
				return f.inv.Client == o.inv.Client && r.sameLife(o.inv.Client, f.inv.Process, o.inv.Process)
			})
			if i < 0 {
				observers = append(observers, o)
				seen[o] = []*refOp{o}
				continue
			}
			list := seen[observers[i]]
			before := list[len(list)-1]
			if before.ret.Value == o.ret.Value && before.ret.Token == o.ret.Token {
				continue
			}
			again := slices.ContainsFunc(list, func(x *refOp) bool { return x.ret.Value == o.ret.Value })
			if o.ret.Token < before.ret.Token || again && o.ret.Token == 0 {
				n++
			}
			seen[observers[i]] = append(list, o)
		}
		for i := range observers {
			for j := range i {
				if opposite(seen[observers[i]], seen[observers[j]]) {
					n++
				}
			}
		}
	}
	return n
}

func (r *reference) termsOfTwo(lock string) (n int) {
	leader := map[uint64]string{}
	for _, g := range r.leases {
		if _, known := leader[g.token]; g.lock == lock && !known {
			leader[g.token] = g.op.inv.Value
		}
	}
	two := map[uint64]bool{}
	for _, o := range r.looks(lock) {
		term := o.ret.Token
		if _, known := leader[term]; !known {
			leader[term] = o.ret.Value
		}
		if term != 0 && leader[term] != o.ret.Value && !two[term] {
			two[term] = true
			n++
		}
	}
	return n
}

// opposite reports whether two observers saw some two leaders, of whom no term was told, for
// the first time in opposite orders.
func opposite(a, b []*refOp) bool {
	first := func(list []*refOp, value string) int {
		return slices.IndexFunc(list, func(o *refOp) bool { return o.ret.Value == value })
	}
	for i, x := range a {
		for j, y := range a[:i] {
			bx, by := first(b, x.ret.Value), first(b, y.ret.Value)
			fresh := first(a, x.ret.Value) == i && first(a, y.ret.Value) == j
			if fresh && x.ret.Token == 0 && y.ret.Token == 0 && bx >= 0 && by >= 0 && bx < by {
				return true
			}
		}
	}
	return false
}

// leftovers are the leaders that were seen long after they had resigned, or given up, for
// certain.
func (r *reference) leftovers() (n int) {
	for _, lock := range r.elections() {
		for _, w := range r.ops {
			if w.inv.Lock != lock || w.inv.Mode != history.Campaign || r.campaigns(lock, w.inv.Value) > 1 {
				continue
			}
			ended := never
			switch {
			case w.lease != nil && w.ret != nil && w.ret.Type == history.OK:
				if rel := w.lease.release; rel != nil && rel.ret != nil && rel.ret.Type == history.OK {
					ended = rel.ret.Time
				}
			case w.ret != nil && w.ret.Type == history.Fail && w.ret.Refused != history.ByClient:
				ended = w.ret.Time
			}
			if ended != never && slices.ContainsFunc(r.looks(lock), func(o *refOp) bool {
				return o.ret.Value == w.inv.Value && o.inv.Time-ended > int64(r.o.FreeWithin)+r.slack()
			}) {
				n++
			}
		}
	}
	return n
}

func (r *reference) campaigns(lock, value string) (n int) {
	for _, w := range r.ops {
		if w.inv.Lock == lock && w.inv.Mode == history.Campaign && w.inv.Value == value {
			n++
		}
	}
	return n
}

package incident

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"locktorture/timeline"
)

// listed is how many incidents a result describes; the others are only counted.
const listed = 100

// Incidents counts the chains of the findings and describes each.
func (b *Book) Incidents(f *Findings) Incidents {
	b.chains.resolve(b.Run.First, b.Run.End)
	b.join(f.firsts())
	roots := b.chains.roots()
	for i, c := range roots {
		c.number = i + 1
	}
	witness := f.firsts()
	out := Incidents{Total: len(roots)}
	all := make([]Incident, len(roots))
	for i, c := range roots {
		all[i] = b.incident(c, witness[c])
	}
	out.Causes = causes(all)
	kept := chosen(all)
	for i := range all {
		if kept[i] {
			out.List = append(out.List, all[i])
			continue
		}
		if out.Rest == nil {
			out.Rest = map[string]int{}
		}
		for kind, n := range all[i].Anomalies {
			out.Rest[kind] += n
		}
	}
	return out
}

// join merges the incidents of a lock that have the same fault as their cause. A dead lock stays an
// incident of its own, because its repair is a task of its own.
func (b *Book) join(witness map[*Chain]*Anomaly) {
	type reason struct {
		lock  string
		fault *timeline.Fault
	}
	first := map[reason]*Chain{}
	for _, c := range b.chains.roots() {
		why := reason{c.lock, b.blamed(c, witness[c])}
		switch {
		case why.fault == nil || c.wait:
		case first[why] == nil:
			first[why] = c
		default:
			first[why].absorb(c)
		}
	}
}

// blamed returns the fault to which a chain is attributed. a is the first anomaly of the
// chain; nil if it was not kept.
func (b *Book) blamed(c *Chain, a *Anomaly) *timeline.Fault {
	if a == nil {
		return c.cause
	}
	return b.blamedFault(a, min(c.from, c.began()))
}

// incident describes a chain. a is the first anomaly of the chain; nil if it was not kept.
func (b *Book) incident(c *Chain, a *Anomaly) Incident {
	i := Incident{Number: c.number, Lock: c.lock, Start: c.began(), End: c.end, Anomalies: c.counts}
	for _, store := range slices.Sorted(maps.Keys(c.lost)) {
		if l := c.lost[store]; l.Lost != 0 {
			i.Lost = append(i.Lost, l)
		}
	}
	if s := b.blamed(c, a); s != nil {
		i.Cause = s.Op
	}
	if a == nil {
		return i
	}
	i.Witness = *a
	i.Witness.Incident = c.number
	i.Faults = b.Run.During(min(c.from, c.began()), c.end)
	i.Faults = i.Faults[max(0, len(i.Faults)-faultsNamed):]
	return i
}

// began returns when the incident begins.
func (c *Chain) began() int64 {
	if c.wait {
		return c.opens
	}
	return c.start
}

// roots returns the chains that are part of no other, by their start.
func (s *chains) roots() []*Chain {
	roots := slices.DeleteFunc(slices.Clone(s.all), func(c *Chain) bool { return c.into != nil })
	slices.SortStableFunc(roots, func(a, b *Chain) int {
		if n := cmp.Or(cmp.Compare(a.began(), b.began()), cmp.Compare(a.lock, b.lock), cmp.Compare(a.end, b.end), cmp.Compare(a.from, b.from)); n != 0 {
			return n
		}
		return cmp.Compare(fmt.Sprint(a.counts), fmt.Sprint(b.counts)) // of thousands, few are equal up to here
	})
	return roots
}

// resolve adds the anomalies of stores and of whole locks to the incidents from which they
// follow. The history lasts from first to last.
func (s *chains) resolve(first, last int64) {
	if s.byLease == nil {
		s.byLease = map[int64]*Chain{}
	}
	var found []*Chain
	for _, c := range s.roots() {
		if c.deed == 0 && !c.wait && s.wholes[c.lock] != c {
			found = append(found, c)
		}
	}
	effects := slices.SortedFunc(maps.Values(s.effects), func(a, b *Chain) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.deed, b.deed))
	})
	for _, e := range effects {
		if c := s.follows(e, found); c != nil {
			c.absorb(e)
		}
		s.byLease[e.deed] = e.Root()
		for n := range e.touched {
			if s.byLease[n] == nil {
				s.byLease[n] = e.Root()
			}
		}
	}
	for _, lock := range slices.Sorted(maps.Keys(s.wholes)) {
		s.resolveWhole(s.wholes[lock], lock, first, last)
	}
}

// follows returns the chain from which an effect follows: the chain of the lease under which
// it was done, else that of the latest other lease that its witnesses name, else one of the
// same lock at the same time; nil if there is none.
func (s *chains) follows(e *Chain, found []*Chain) *Chain {
	if c := s.byLease[e.deed]; c != nil {
		return c.Root()
	}
	for _, n := range slices.Backward(slices.Sorted(maps.Keys(e.touched))) {
		if c := s.byLease[n]; c != nil {
			return c.Root()
		}
	}
	i := slices.IndexFunc(found, func(c *Chain) bool { return c.into == nil && c.lock == e.lock && c.start <= e.end && c.end >= e.start })
	if i < 0 {
		return nil
	}
	return found[i]
}

// resolveWhole adds what is wrong with the whole history of a lock to the first incident of
// the lock. If the lock has none, it becomes an incident that lasts as long as the history.
// Its own time does not count, because it is chance which of several proofs was found.
func (s *chains) resolveWhole(w *Chain, lock string, first, last int64) {
	for _, c := range s.roots() {
		if c != w && !c.wait && c.lock == lock {
			w.start, w.end, w.from, w.opens = c.start, c.end, c.from, c.opens
			c.absorb(w)
			return
		}
	}
	w.start, w.end, w.from, w.opens = first, last, first, first
}

// chosen returns the places of the incidents that are listed: the first of each cause and of
// each kind of anomaly, and then the first of all as long as there is room. An incident
// without a witness is left out, because nothing can be said about it.
func chosen(all []Incident) map[int]bool {
	kept, seen := map[int]bool{}, map[any]bool{}
	for i := range all {
		if all[i].Witness.Kind == "" {
			continue
		}
		new := !seen[all[i].PutDownTo()]
		seen[all[i].PutDownTo()] = true
		for kind := range all[i].Anomalies {
			new = new || !seen[kind]
			seen[kind] = true
		}
		if new {
			kept[i] = true
		}
	}
	for i := range all {
		if len(kept) >= listed {
			break
		}
		if all[i].Witness.Kind != "" {
			kept[i] = true
		}
	}
	return kept
}

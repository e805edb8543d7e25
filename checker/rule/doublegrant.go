package rule

import (
	"fmt"

	"locktorture/checker/incident"
	"locktorture/history"
	"locktorture/timeline"
)

// doubleGrant finds grants that returned while an earlier lease of another process was still
// promised, where the two cannot both be held. A writer that was let in beside a writer and a
// reader counts once for each of them.
//
// Guarantee: nobody else is granted the lock before the promise of a lease has ended. The rule
// compares the earliest possible end of the promise with the moment at which the later grant
// was answered. That grant may have been made even earlier, which only makes it worse. Fences
// of the store are no excuse, nor are faults.
//
// It is enough to remember two promises: the longest one, and the longest one of any other
// process, so that a holder is never compared with itself. Promises of readers are kept apart,
// because a reader is compared with writers only.
type doubleGrant struct {
	base
	longest longestPromises // of whole locks
	readers longestPromises
}

func (r *doubleGrant) check(p *timeline.Piece) {
	if r.run.Options.OnlyWatched() {
		return // such a lease promises a notice, which lateNotice judges
	}
	for _, g := range timeline.WithUpgrades(p.Fresh()) {
		if g.Permits > 0 {
			continue // overCapacity judges the sum of all
		}
		others := []*timeline.Lease{r.longest.of(g.Process)}
		if !g.Shared {
			others = append(others, r.readers.of(g.Process))
		}
		for _, other := range others {
			if other != nil && brokeIn(r.run.Options, other, g) {
				r.report(other, g)
			}
		}
		if g.Shared {
			r.readers.add(g)
		} else {
			r.longest.add(g)
		}
	}
}

// longestPromises holds the longest promise, and the longest one of any other process.
type longestPromises [2]*timeline.Lease

// of returns the longest promise of another process, nil if there is none.
func (p *longestPromises) of(process int) *timeline.Lease {
	if p[0] != nil && p[0].Process == process {
		return p[1]
	}
	return p[0]
}

// add takes the next promise.
func (p *longestPromises) add(g *timeline.Lease) {
	switch {
	case p[0] == nil || g.End > p[0].End:
		if p[0] != nil && p[0].Process != g.Process {
			p[1] = p[0]
		}
		p[0] = g
	case g.Process != p[0].Process && (p[1] == nil || g.End > p[1].End):
		p[1] = g
	}
}

// brokeIn reports whether a grant returned before the promise of another lease had ended. A
// grant promises nothing if the first thing that its holder learned was that the lease was
// over (Lease.Empty). Then no two promises met. The rule voidGrant judges whether such a grant
// was right.
func brokeIn(o timeline.Options, a, b *timeline.Lease) bool {
	return b.Granted() < a.End && !(o.Bounded && b.Empty())
}

// report adds the anomaly of a grant b beside the lease a.
func (r *doubleGrant) report(a, b *timeline.Lease) {
	r.found.Add(kindBeside(a, b), a.Inv.Time, func() incident.Anomaly { return grantBeside(r.run.Options, a, b) })
}

// kindBeside names the anomaly of a grant b beside the lease a.
func kindBeside(a, b *timeline.Lease) string {
	switch {
	case a.Changing(b.Granted()) != nil:
		return "upgrade-gap"
	case a.Shared != b.Shared:
		return "reader-beside-writer"
	case a.Campaign && b.Campaign:
		return "two-leaders"
	}
	return "double-grant"
}

// grantBeside describes the grant b beside the lease a.
func grantBeside(o timeline.Options, a, b *timeline.Lease) incident.Anomaly {
	entries := []*history.Op{a.Inv, a.Ret, a.LastTold(), b.Inv, b.Ret, b.FirstTold()}
	own, during := "", ""
	if o.Bounded && len(b.Answers) > 0 {
		own = ", itself " + b.Declared()
	}
	if c := a.Changing(b.Granted()); c != nil {
		entries = append(entries, c.Invoke, c.Return)
		during = fmt.Sprintf("; the %s of that lease, called at %s, was under way", c.Invoke.F, timeline.At(c.Invoke.Time))
	}
	return incident.Anomaly{
		Lock: b.Lock.Name, Time: b.Granted(), Ops: incident.Ops(entries...),
		Sentence: fmt.Sprintf("%s was granted %s at %s (%s%s) although %s's %s, granted at %s, %s%s",
			timeline.Who(b.Client), b.What(), timeline.At(b.Granted()), b.Name(), own, timeline.Who(a.Client), a.Claimed(), timeline.At(a.Granted()), a.Holds(o), during),
	}
}

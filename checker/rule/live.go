package rule

import (
	"locktorture/checker/incident"
	"locktorture/timeline"
)

// Two questions can be answered while a run goes on, because later entries cannot change what
// the answers rest on: whether a grant broke a promise, and whether a holder overstayed. The
// functions of this file answer them for single leases, as the rules do.

// Beside judges the grant b, which returned while the lease a was not over, as the rule of
// double grants does; ok is false if no promise was broken.
func Beside(o timeline.Options, a, b *timeline.Lease) (found incident.Anomaly, ok bool) {
	if o.OnlyWatched() || a.Process == b.Process || !a.Excludes(b) || !brokeIn(o, a, b) {
		return found, false
	}
	found = grantBeside(o, a, b)
	found.Kind = kindBeside(a, b)
	return found, true
}

// Overran judges an operation on a store that was sent and not answered yet, as the rule of
// overruns does.
func Overran(o timeline.Options, a *timeline.Access) (found incident.Anomaly, ok bool) {
	how := expired(o, a)
	if how == "" {
		return found, false
	}
	found = overrunBy(a, how)
	found.Kind = incident.Overrun
	return found, true
}

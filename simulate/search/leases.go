package search

import (
	"time"

	"locktorture/history"
	"locktorture/simulate"
	"locktorture/simulate/schedule"
)

// A lease is one that was granted in a run, with the points at which a fault can matter to it.
type lease struct {
	client                int
	asked, granted, freed int64 // ns; freed is when its release was answered

	// Points: of the call that was granted, from the grant to the end of the release, both, and
	// of the messages that decided either call: its last ones.
	asking, during, around, decisive *spots
}

// A round is how long a request and its answers are under way, more or less.
const round = int64(time.Millisecond)

// leasesOf are the leases of a run, in order of their grants. Points before a grant are those
// of the request that was granted, and of the call: what a client sends while it is refused
// changes nothing.
func leasesOf(h history.History, points []simulate.Point) (all []*lease) {
	asked, held := map[int]int64{}, map[int64]*lease{}
	for i := range h {
		op := &h[i]
		switch {
		case op.F != history.Acquire && op.F != history.Try && op.F != history.Release:
		case op.F == history.Release && op.Type != history.Invoke && held[op.Lease] != nil:
			held[op.Lease].freed = op.Time
		case op.F == history.Release:
		case op.Type == history.Invoke:
			asked[op.Client] = op.Time
		case op.Type == history.OK:
			l := &lease{client: op.Client, asked: asked[op.Client], granted: op.Time, freed: h[len(h)-1].Time}
			held[op.Lease] = l
			all = append(all, l)
		}
	}
	for _, l := range all {
		l.asking = spotsOf(points, l.isAsking)
		l.during = spotsOf(points, l.isDuring)
		l.around = spotsOf(points, func(p simulate.Point) bool { return l.isAsking(p) || l.isDuring(p) })
		granted, freed := l.lastSend(points, l.granted), l.lastSend(points, l.freed)
		l.decisive = l.around.where(func(p simulate.Point) bool {
			return p.Kind != schedule.Gate && (granted <= p.At && p.At <= l.granted || freed <= p.At && p.At <= l.freed)
		})
	}
	return all
}

// isAsking tells of points of the call that was granted: its first request, and the gate
// before it.
func (l *lease) isAsking(p simulate.Point) bool {
	return p.Client == l.client && l.asked-round <= p.At && p.At <= l.asked+round && p.Kind != schedule.Reply
}

// isDuring tells of points from the request that was granted to the end of the release.
func (l *lease) isDuring(p simulate.Point) bool {
	return p.Client == l.client && l.granted-round <= p.At && p.At <= l.freed
}

// lastSend is when the client began to send the last requests before a time: those to several
// servers go out together.
func (l *lease) lastSend(points []simulate.Point, before int64) (at int64) {
	const together = int64(10 * time.Microsecond)
	for _, p := range points {
		if p.Client == l.client && p.Kind == schedule.Send && p.At <= before {
			at = p.At - together
		}
	}
	return at
}

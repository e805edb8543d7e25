package search

import (
	"slices"
	"time"

	"locktorture/history"
	"locktorture/nemesis/points/schedule"
	"locktorture/simulate"
	"locktorture/timeline"
)

// A lease is one that was granted in a run, with the points at which a fault can matter to it.
type lease struct {
	client                int
	asked, granted, freed int64 // ns; freed is when its release was answered

	points []simulate.Point // of the client, around the lease
	// From when on its last requests before the grant and before the end of the release were
	// sent: those to several servers go out together.
	grants, frees int64
	during        *spots // from the grant to the end of the release
	contested     bool   // another client waits for the lock when it is released
}

// A round is how long a request and its answers are under way, more or less.
const round = int64(time.Millisecond)

// leasesOf are the leases of a run, in order of their grants. Points before a grant are those
// of the request that was granted, and of the call: what a client sends while it is refused
// changes nothing.
func leasesOf(h history.History, points []simulate.Point) (all []*lease, err error) {
	granted, err := timeline.Leases(h)
	for _, g := range granted {
		l := &lease{client: g.Client, asked: g.Inv.Time, granted: g.Granted(), freed: h[len(h)-1].Time}
		if g.RelRet != nil {
			l.freed = g.RelRet.Time
		}
		all = append(all, l)
	}
	for _, l := range all {
		l.grants, l.frees = l.lastSend(points, l.granted), l.lastSend(points, l.freed)
		for _, p := range points {
			if l.isAsking(p) || l.isDuring(p) {
				l.points = append(l.points, p)
			}
		}
		l.during = spotsOf(l.points, l.isDuring)
		l.contested = slices.ContainsFunc(all, func(next *lease) bool {
			return next.client != l.client && next.asked < l.frees && next.granted > l.frees
		})
	}
	return all, err
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

// together is how far apart requests to several servers go out that are one step of a client.
const together = int64(10 * time.Microsecond)

// firstSend is the first of the requests that go out together with one: a hold of several
// servers from there on has them all.
func (l *lease) firstSend(one simulate.Point) simulate.Point {
	first := one
	for i := len(l.points) - 1; i >= 0; i-- {
		if p := l.points[i]; p.At < first.At && p.At >= first.At-together && p.Class() == one.Class() {
			first = p
		}
	}
	return first
}

// lastSend is when the client began to send the last requests before a time: those to several
// servers go out together.
func (l *lease) lastSend(points []simulate.Point, before int64) (at int64) {
	for _, p := range points {
		if p.Client == l.client && p.Kind == schedule.Send && p.At <= before {
			at = p.At - together
		}
	}
	return at
}

// decides tells of the messages that decided the call that was granted, or the release.
func (l *lease) decides(p simulate.Point) bool {
	return p.Kind != schedule.Gate && (l.grants <= p.At && p.At <= l.granted || l.frees <= p.At && p.At <= l.freed)
}

// keeping are the points at which the lease goes on while its holder stands still, or does not
// hear: the gates of the section, the grant, and the release until it is carried out.
func (l *lease) keeping(k schedule.Kind) *spots {
	return spotsOf(l.points, func(p simulate.Point) bool {
		switch {
		case p.At > l.frees && p.Kind == schedule.Reply:
			return false
		case p.Kind == schedule.Gate:
			return k != schedule.Hold && p.What != begin
		case k == schedule.Pause:
			return l.decides(p) || p.At >= l.granted
		}
		return p.At >= l.granted || l.decides(p) && p.Kind == schedule.Reply
	})
}

// telling are its requests, and the gates before them.
func (l *lease) telling(schedule.Kind) *spots {
	return spotsOf(l.points, func(p simulate.Point) bool {
		return p.Kind == schedule.Send || p.Kind == schedule.Gate && (p.What == begin || p.What == release)
	})
}

// losing are all of its points.
func (l *lease) losing(schedule.Kind) *spots { return spotsOf(l.points, anywhere) }

// holding are those at which it is held, and its release has not begun.
func (l *lease) holding(schedule.Kind) *spots {
	return spotsOf(l.points, func(p simulate.Point) bool {
		return p.At >= l.granted && p.At < l.frees && (p.Kind != schedule.Gate || p.What != begin && p.What != release)
	})
}

// The gates before a section and before its release.
const (
	begin   = "begin"
	release = "release"
)

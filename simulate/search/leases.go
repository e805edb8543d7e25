package search

import (
	"slices"
	"strings"
	"time"

	"locktorture/history"
	"locktorture/nemesis/points/schedule"
	"locktorture/simulate"
	"locktorture/timeline"
)

// A lease was granted in a run; points holds the moments at which a fault can affect it.
type lease struct {
	client                int
	asked, granted, freed int64 // ns; freed is the time of the answer to its release

	points []simulate.Point // points of the client, around the lease
	// Times at which the client began to send its last requests before the grant and before the end
	// of the release. Requests to several servers are sent together.
	grants, frees int64
	during        *spots // points from the grant to the end of the release
	waits         *spots // points from the start of the call to the grant, if the client waited
	contested     bool   // another client waits for the lock at the release
}

// round is the approximate time from a request to its reply, ns.
const round = int64(time.Millisecond)

// leasesOf returns the leases of a run, in the order of their grants. Before a grant, it keeps
// only the points at the start of the call and at the granted request, because requests that
// are refused change nothing.
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
		if l.frees == 0 { // the run has no points at messages
			l.frees = l.freed
		}
		for _, p := range points {
			if l.isAsking(p) || l.isDuring(p) {
				l.points = append(l.points, p)
			}
		}
		l.during = spotsOf(l.points, l.isDuring)
		l.waits = spotsOf(points, l.isWaiting)
		l.contested = slices.ContainsFunc(all, func(next *lease) bool {
			return next.client != l.client && next.asked < l.frees && next.granted > l.frees
		})
	}
	return all, err
}

// isAsking reports whether p belongs to the start of the granted call: its first request, or the
// gate before it.
func (l *lease) isAsking(p simulate.Point) bool {
	return p.Client == l.client && l.asked-round <= p.At && p.At <= l.asked+round && p.Kind != schedule.Reply
}

// isWaiting reports whether p lies between the first requests of the granted call and the grant. The
// client may wait for another one then.
func (l *lease) isWaiting(p simulate.Point) bool {
	return p.Client == l.client && l.asked+round < p.At && p.At < l.granted-round
}

// isDuring reports whether p lies between the granted request and the end of the release.
func (l *lease) isDuring(p simulate.Point) bool {
	return p.Client == l.client && l.granted-round <= p.At && p.At <= l.freed
}

// together is the longest interval between requests to several servers that form one step of a
// client, ns.
const together = int64(10 * time.Microsecond)

// firstSend returns the first of the requests that are sent together with one. A hold of several
// servers from this request on affects them all.
func (l *lease) firstSend(one simulate.Point) simulate.Point {
	first := one
	for i := len(l.points) - 1; i >= 0; i-- {
		if p := l.points[i]; p.At < first.At && p.At >= first.At-together && p.Class() == one.Class() {
			first = p
		}
	}
	return first
}

// lastSend returns the time at which the client began to send its last requests before a time.
// Requests to several servers are sent together.
func (l *lease) lastSend(points []simulate.Point, before int64) (at int64) {
	for _, p := range points {
		if p.Client == l.client && p.Kind == schedule.Send && p.At <= before {
			at = p.At - together
		}
	}
	return at
}

// decides reports whether p is a message that decided the granted call or the release.
func (l *lease) decides(p simulate.Point) bool {
	return p.Kind != schedule.Gate && (l.grants <= p.At && p.At <= l.granted || l.frees <= p.At && p.At <= l.freed)
}

// keeping returns the points at which the lease stays in force while its holder is stopped or
// isolated: the gates of the section, the grant, and the release until the server executes it.
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

// matters reports whether p may be worth a fault that loses or delays it. Most messages of a client
// to a cluster only keep its session or its watch.
func (l *lease) matters(p simulate.Point) bool { return p.Server == "" || l.decides(p) }

// telling returns the lease's requests, and the gates before them.
func (l *lease) telling(schedule.Kind) *spots {
	return spotsOf(l.points, func(p simulate.Point) bool {
		return p.Kind == schedule.Send && l.matters(p) || p.Kind == schedule.Gate && (p.What == begin || p.What == release)
	})
}

// waiting returns the points at which the client waits for another one. A hold of its requests may
// end its session; a hold of replies does not. A lease is revoked when the client has asked for its
// turn, not when a timer lets it keep its session alive: real servers see that at another time.
func (l *lease) waiting(k schedule.Kind) *spots {
	return l.waits.where(func(p simulate.Point) bool {
		switch k {
		case schedule.Hold:
			return p.Kind == schedule.Send
		case schedule.Revoke:
			return p.Kind == schedule.Send && !strings.HasPrefix(p.What, keepAlive)
		}
		return true
	})
}

// keepAlive is the request of etcd by which a client keeps its session.
const keepAlive = "LeaseKeepAlive"

// losing returns all points of the lease that matter.
func (l *lease) losing(schedule.Kind) *spots { return spotsOf(l.points, l.matters) }

// holding returns the points between the grant and the start of the release.
func (l *lease) holding(schedule.Kind) *spots {
	return spotsOf(l.points, func(p simulate.Point) bool {
		return p.At >= l.granted && p.At < l.frees && (p.Kind != schedule.Gate || p.What != begin && p.What != release)
	})
}

// The names of the gates before a section and before its release.
const (
	begin   = "begin"
	release = "release"
)

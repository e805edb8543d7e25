package timeline

import (
	"testing"
	"time"

	"locktorture/history"
)

// TestInParts: an election is judged in one piece, and so is what the store's numbers say
// nothing of.
func TestInParts(t *testing.T) {
	every := func(kind string, untimely bool) int {
		s := emptySurvey(t, Options{Kind: kind})
		s.Untimely = untimely
		return newFold(s, Connections{}, 5, Followers{}).every
	}
	check(t, []border{
		{"a mutex", every("", false), 5}, {"an election", every(ElectionKind, false), Whole}, {"a store out of order", every("", true), Whole},
	})
}

// TestAlive checks that only clients give signs of life. Clients have numbers from 1, and processes
// from 0.
func TestAlive(t *testing.T) {
	alive := func(process, client int) int {
		v := emptyFold(t, Options{})
		if err := v.next(&history.Op{F: history.Read, Type: history.OK, Process: process, Client: client, Time: 5}); err != nil {
			t.Fatal(err)
		}
		return len(v.alive)
	}
	check(t, []border{
		{"a client", alive(3, 1), 1}, {"its first process", alive(0, 1), 1}, {"no client", alive(3, 0), 0}, {"the harness", alive(history.Harness, 1), 0},
	})
}

// TestClosed: a lease that is over is closed with the last entry that names it.
func TestClosed(t *testing.T) {
	open := func(names int64) int {
		v := emptyFold(t, Options{})
		g := leased(7, 0, 900)
		g.ended, v.byLease[7], v.late[7], v.late[8] = true, g, 0, 0
		if err := v.next(&history.Op{F: history.Renew, Type: history.OK, Lease: names}); err != nil {
			t.Fatal(err)
		}
		return len(v.byLease)
	}
	check(t, []border{{"named", open(7), 0}, {"another that is closed", open(8), 1}})
}

// TestOver: a lease that is released is closed at once, unless it is named again later.
func TestOver(t *testing.T) {
	open := func(last int) int {
		v := emptyFold(t, Options{})
		g := leased(7, 0, 900)
		v.byLease[7], v.at = g, 5
		if last > 0 {
			v.late[7] = last
		}
		v.over(g)
		return len(v.byLease)
	}
	check(t, []border{{"never again", open(0), 0}, {"for the last time now", open(5), 0}, {"again later", open(6), 1}})
}

// TestBusy: an operation under a lease is under way until it is answered.
func TestBusy(t *testing.T) {
	v, g := emptyFold(t, Options{}), leased(7, 0, 900)
	v.byLease[7] = g
	call := &history.Op{F: history.Renew, Type: history.Invoke, Lease: 7}
	v.invoke(call)
	during := g.Lock.busy
	v.land(v.flights[0], &history.Op{F: history.Renew, Type: history.OK, Lease: 7})
	check(t, []border{{"under way", during, 1}, {"answered", g.Lock.busy, 0}})
}

// TestAsked: that a lease is valid says nothing of the connection, that it is over or renewed
// does.
func TestAsked(t *testing.T) {
	known := func(f history.F, answer history.Type) int {
		v := emptyFold(t, Options{})
		v.operation(&history.Op{F: f}, &history.Op{F: f, Type: answer}, 0)
		return len(v.sound)
	}
	lost := emptyFold(t, Options{})
	lost.sound[-1] = Sound{}
	lost.operation(&history.Op{F: history.Ask}, &history.Op{F: history.Ask, Type: history.Fail}, 0)
	check(t, []border{
		{"asked", known(history.Ask, history.OK), 0}, {"renewed", known(history.Renew, history.OK), 1}, {"asked, and it is over", len(lost.sound), 0},
	})
}

// TestObserved: only answers to who leads an election are observations.
func TestObserved(t *testing.T) {
	observed := func(kind string, answer history.Type) int {
		v := emptyFold(t, Options{Kind: kind})
		v.observed(&history.Op{Lock: "L"}, &history.Op{Type: answer}, 0)
		return len(v.locks)
	}
	check(t, []border{
		{"an answer", observed(ElectionKind, history.OK), 1}, {"no answer", observed(ElectionKind, history.Fail), 0}, {"no election", observed("", history.OK), 0},
	})
}

// TestInside: a process is inside until the end of its lease that it was told at the latest.
func TestInside(t *testing.T) {
	v, g := emptyFold(t, Options{Reentrant: true}), leased(1, 0, 900)
	g.Answers = []Answer{{0, 90, 100, nil}}
	v.live[1] = []*Lease{g}
	inside := func(call int64) bool {
		return v.inside(&Call{Client: 1, Process: 1, Lock: g.Lock, Called: call}) != nil
	}
	check(t, []border{{"at its end", inside(100), true}, {"1 ns later", inside(101), false}})
}

// TestDeath: a wait that ended with the answer was not ended by the death of its client.
func TestDeath(t *testing.T) {
	dead := func(at int64) bool {
		v := emptyFold(t, Options{})
		v.crashed[1] = at
		w := &Call{Process: 1, Called: 100, Ret: moment(200)}
		v.finishWait(w)
		return w.Dead
	}
	check(t, []border{{"killed before its call", dead(99), false}, {"with it", dead(100), true}, {"before the answer", dead(199), true}, {"with it", dead(200), false}})
}

// TestBlockers: who waited while nobody held the lock for too long bears witness to that time.
func TestBlockers(t *testing.T) {
	const within = time.Second
	blockers := func(o Options, holding int, granted int64) int {
		v := emptyFold(t, o)
		l := v.lock("L")
		l.left, l.Holding, l.Pending = 1000, holding, []*Call{{Inv: moment(0)}}
		w := &Call{Lock: l, Client: 1, Inv: moment(0), Ret: moment(granted)}
		v.grant(l, w)
		return l.blockers
	}
	o := Options{FreeWithin: within}
	limit := 1000 + o.FreeBy()
	check(t, []border{
		{"as long as may be", blockers(o, 0, limit), 0}, {"1 ns longer", blockers(o, 0, limit+1), 1},
		{"somebody holds it", blockers(o, 1, limit+1), 0}, {"a lock that need not be free", blockers(Options{}, 0, limit+1), 0},
	})
	v := emptyFold(t, o)
	l := v.lock("L")
	w := &Call{Lock: l, Inv: moment(0), gap: true}
	l.blockers, l.Pending = 1, []*Call{w}
	v.answered(w, &history.Op{Type: history.Fail, F: history.Acquire})
	check(t, []border{{"its witness is heard", l.blockers, 0}})
}

// TestQuiet: the wait of a client that is dead by now belongs to what was before.
func TestQuiet(t *testing.T) {
	v := emptyFold(t, Options{})
	v.now = 100
	quiet := func(process int) bool { return v.quiet(&Lock{Pending: []*Call{{Process: process}}}) }
	v.crashed[1], v.crashed[2] = 100, 101
	check(t, []border{{"dead now", quiet(1), false}, {"dead later", quiet(2), true}, {"not dead", quiet(3), true}})
}

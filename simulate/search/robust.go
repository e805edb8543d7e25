package search

import (
	"context"
	"slices"
	"strings"
	"time"

	"locktorture/checker"
	"locktorture/nemesis/points/schedule"
)

// A Robustness counts the other worlds in which a finding occurs. These worlds have other
// latencies and other work. Their faults have the times with which a finding is confirmed on
// real servers, and their signals are as late as there.
type Robustness struct {
	Worlds int `json:"worlds,omitempty"`
	Seen   int `json:"seen,omitempty"`   // worlds in which the anomaly occurs
	Missed int `json:"missed,omitempty"` // worlds in which a fault had no target
}

// Robust plays a trial in other worlds.
func Robust(ctx context.Context, p Player, t Trial, m Mechanism, worlds int) (r Robustness, err error) {
	for n := 1; n <= worlds; n++ {
		o, err := p.Play(ctx, t.elsewhere(n))
		if err != nil || ctx.Err() != nil {
			return r, err
		}
		r.Worlds++
		switch {
		case m.recurs(o):
			r.Seen++
		case len(o.Struck) < len(t.Schedule):
			r.Missed++
		}
	}
	return r, nil
}

// signalled is the time after which a signal stops a client on real servers. By then the client has
// sent its further messages and received the answers.
const signalled = 500 * time.Microsecond

// elsewhere returns the trial in another world, with the wider times and late signals of real
// servers.
func (t Trial) elsewhere(n int) Trial {
	t.Order.Seed, t.Late = t.Order.Seed+uint64(n)*1_000_003, signalled
	t.Schedule, t.Order.Duration = t.Schedule.Wide().Started(), schedule.Widen(t.Order.Duration)
	return t
}

// recurs reports whether the outcome in another world shows the anomaly and every fault struck. The
// roles may differ there.
func (m Mechanism) recurs(o *Outcome) bool {
	return len(o.Struck) == len(o.Trial.Schedule) && len(Accused(o.Result, []string{m.Anomaly})) > 0
}

// steadier tries other loads, and longer and shorter faults, that make the anomaly depend less on
// timing, until all other worlds show it. It leaves reserve runs unused.
func (s *shrinker) steadier(reserve int) {
	for _, l := range s.loads {
		if t := s.best.Trial; s.seen < others && s.left > reserve {
			t.Order.Hold, t.Order.Think = l.Hold, l.Think
			s.tryWith(t, s.seen+1)
		}
	}
	for _, d := range s.dials() {
		for _, by := range []float64{1.5, 0.75, 2} {
			if s.seen == others {
				return
			}
			to := scaled(*d.of(&s.best.Trial.Schedule[d.decision]), by)
			if s.left > reserve {
				s.tryWith(s.set(d, to), s.seen+1)
			}
		}
	}
}

// manyOthers is the number of other worlds for the final choice of a load.
const manyOthers = 6

// steadiest selects the load with which the anomaly occurs in most of manyOthers worlds. It keeps
// the present load if that is as good.
func (s *shrinker) steadiest() {
	best := s.elsewhere(s.best.Trial, manyOthers, 0)
	for _, l := range s.loads {
		t := s.best.Trial
		if t.Order.Hold, t.Order.Think = l.Hold, l.Think; best == manyOthers || s.left < manyOthers {
			break
		}
		t.Order.Duration = max(t.Order.Duration, 6*t.Order.TTL) // longer sections delay the points
		o := s.shows(t)
		if o == nil || len(o.Struck) < len(t.Schedule) {
			continue
		}
		if seen := s.elsewhere(t, manyOthers, best+1); seen > best {
			s.best, best = o, seen
		}
	}
	s.shorterRun()
}

// A Load is the length of the sections of a world and of the rests between them, in the syntax of
// the flags.
type Load struct {
	Hold, Think string
	room        string        // properties that such a world leaves room to violate
	lasts       time.Duration // least length of the phase with faults
	after       time.Duration // least time from the last fault to the end of this phase
	wait        time.Duration // how long a client waits for a lock; 0: as usual
}

// Loads returns the loads worth trying for a TTL: long sections, during which a holder can be
// overtaken, and long rests, which leave the lock free for late messages.
func Loads(usual Load, ttl time.Duration) []Load {
	long, quarter := partOf(ttl, 2), partOf(ttl, 4)
	const held, free = checker.Exclusion + " " + checker.Ownership, checker.Liveness
	return []Load{
		usual,
		{Hold: long, Think: usual.Think, room: held}, {Hold: quarter, Think: usual.Think, room: held},
		{Hold: usual.Hold, Think: long, room: free},
	}
}

// Outlasting returns a load whose sections outlast the election of a new leader, and the
// leases that the old leader knows.
func Outlasting(usual Load, ttl time.Duration) Load {
	return Load{Hold: (4 * ttl).String(), Think: usual.Think, room: checker.Exclusion + " " + checker.Ownership, lasts: 7 * ttl}
}

// Resting returns a load whose rests are longer than the time within which a lock must become free.
// A client in doubt mends its lock with its next request. After a long rest, this request comes only
// when others have waited long enough to prove a deadlock.
func Resting(ttl, freeWithin time.Duration) Load {
	return Load{
		Hold: partOf(ttl, 2), Think: "exp:" + (2 * freeWithin).String(), room: checker.Liveness,
		lasts: 5 * freeWithin, after: 4 * freeWithin, wait: 2 * freeWithin,
	}
}

// loadsFor returns the loads of a search's worlds, each as often as it should occur: three times if
// it has room for an anomaly that the search looks for, else once.
func loadsFor(all []Load, breaks []string) (out []Load) {
	for _, l := range all {
		times := 1
		if slices.ContainsFunc(breaks, func(p string) bool { return strings.Contains(l.room, p) }) {
			times = 3
		}
		out = append(out, slices.Repeat([]Load{l}, times)...)
	}
	return out
}

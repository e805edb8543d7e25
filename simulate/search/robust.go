package search

import (
	"context"
	"slices"
	"strings"
	"time"

	"locktorture/checker"
	"locktorture/nemesis/points/schedule"
)

// A Robustness is in how many other worlds a finding is seen: with other latencies, other work,
// the times with which it is confirmed on real servers, and signals as late as there.
type Robustness struct {
	Worlds int `json:"worlds,omitempty"`
	Seen   int `json:"seen,omitempty"`   // in so many
	Missed int `json:"missed,omitempty"` // in so many a fault struck nobody
}

// Robust tries a trial in other worlds.
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

// signalled is how long after a message was seen a signal stops its client on real servers: it has
// sent all that it was about to send, and heard the answers.
const signalled = 500 * time.Microsecond

// elsewhere is the trial in another world, with room in its times and with signals as late as on
// real servers.
func (t Trial) elsewhere(n int) Trial {
	t.Order.Seed, t.Late = t.Order.Seed+uint64(n)*1_000_003, signalled
	t.Schedule, t.Order.Duration = t.Schedule.Wide().Started(), schedule.Widen(t.Order.Duration)
	return t
}

// recurs tells whether an outcome in another world counts: each fault has struck, and the
// anomaly is there. Who did what may differ there.
func (m Mechanism) recurs(o *Outcome) bool {
	return len(o.Struck) == len(o.Trial.Schedule) && len(Accused(o.Result, []string{m.Anomaly})) > 0
}

// steadier tries what may make the anomaly less a matter of luck, unless all other worlds show
// it: other loads, and faults that last longer or shorter. It leaves so many runs.
func (s *shrinker) steadier(reserve int) {
	for _, l := range s.loads {
		if t := s.best.Trial; s.seen < others {
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

// manyOthers is in how many other worlds the last choice is made.
const manyOthers = 6

// steadiest takes the load with which the anomaly is seen in most of more other worlds, and of
// equals the one that it has.
func (s *shrinker) steadiest() {
	best := s.elsewhere(s.best.Trial, manyOthers, 0)
	for _, l := range s.loads {
		t := s.best.Trial
		if t.Order.Hold, t.Order.Think = l.Hold, l.Think; best == manyOthers || s.left < manyOthers {
			break
		}
		t.Order.Duration = max(t.Order.Duration, 6*t.Order.TTL) // points come later with longer sections
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

// A Load is how long the sections of a world take, and how long clients rest between them, as
// flags have it.
type Load struct {
	Hold, Think string
	room        string // properties for whose violation there is room in such a world
}

// Loads are those that are worth trying beside a TTL: sections in which there is time to be
// overtaken, and a lock that is free at times, so that what comes late is not refused.
func Loads(usual Load, ttl time.Duration) []Load {
	long, quarter := partOf(ttl, 2), partOf(ttl, 4)
	const held, free = checker.Exclusion + " " + checker.Ownership, checker.Liveness
	return []Load{
		usual,
		{long, usual.Think, held}, {quarter, usual.Think, held},
		{usual.Hold, long, free},
	}
}

// loadsFor returns the loads of a search's worlds, each as often as it should come: three times
// if it has room for an anomaly that the search looks for, else once.
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

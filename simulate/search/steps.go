package search

import (
	"slices"
	"sort"
	"time"

	"locktorture/nemesis/points/schedule"
)

// fewer leaves out faults, later ones first, until each remaining fault is needed.
func (s *shrinker) fewer() {
	for again := true; again; {
		again = false
		for i := len(s.best.Trial.Schedule) - 1; i >= 0; i-- {
			again = s.without(i) || again
		}
	}
}

// without leaves out a fault if the anomaly still occurs in as many worlds. The checker may then
// attribute it to another fault.
func (s *shrinker) without(i int) bool {
	t := s.lacking(i)
	o := s.play(t)
	if o == nil || len(o.Struck) < len(t.Schedule) {
		return false
	}
	m, ok := s.mechanism.whoever(o)
	if !ok {
		return false
	}
	seen := s.elsewhere(t, others, s.seen)
	if seen < s.seen {
		return false
	}
	s.best, s.seen, s.mechanism = o, seen, m
	return true
}

// lacking returns the best trial so far without a fault.
func (s *shrinker) lacking(i int) Trial {
	t := s.best.Trial
	t.Schedule = slices.Delete(slices.Clone(t.Schedule), i, i+1)
	return t
}

// clients leaves out as many clients as possible: first all that no fault names, with new numbers
// for the others.
func (s *shrinker) clients() {
	t := s.best.Trial
	t.Schedule, t.Order.Clients = renumbered(t.Schedule)
	for n := max(1, t.Order.Clients); n < s.best.Trial.Order.Clients; n++ {
		if t.Order.Clients = n; s.try(t) {
			return
		}
	}
	t, least := s.best.Trial, 1
	for _, d := range t.Schedule {
		least = max(least, d.At.Client)
	}
	for n := least; n < s.best.Trial.Order.Clients; n++ {
		if t.Order.Clients = n; s.try(t) {
			return
		}
	}
}

// renumbered gives the clients that faults name the numbers from 1, in their order.
func renumbered(s schedule.Schedule) (out schedule.Schedule, clients int) {
	var named []int
	for _, d := range s {
		if !slices.Contains(named, d.At.Client) {
			named = append(named, d.At.Client)
		}
	}
	slices.Sort(named)
	for _, d := range s {
		d.At.Client = slices.Index(named, d.At.Client) + 1
		out = append(out, d)
	}
	return out, len(named)
}

// outlasting extends the run until its faults have ended. A fault that the end of the run healed
// would be longer or shorter in any other world.
func (s *shrinker) outlasting() {
	t := s.best.Trial
	if least := s.over(); t.Order.Duration < least {
		t.Order.Duration = least + t.Order.TTL/2
		s.try(t)
	}
}

// over returns the time at which the faults of the best trial have ended, rounded up.
func (s *shrinker) over() time.Duration {
	last := int64(0)
	for _, d := range s.best.Run.Struck {
		last = max(last, d.At+int64(d.Decision.For))
	}
	step := s.best.Trial.Order.TTL / 2
	return time.Duration(last).Truncate(step) + step
}

// shorterRun ends the run soon after its last fault, or a while later.
func (s *shrinker) shorterRun() {
	least, step := s.over(), s.best.Trial.Order.TTL/2
	for _, d := range []time.Duration{least, least + step, least + 3*step} {
		t := s.best.Trial
		if d >= t.Order.Duration {
			return
		}
		t.Order.Duration = d
		if s.try(t) {
			return
		}
	}
}

// servers removes target servers one by one as long as the trial is accepted.
func (s *shrinker) servers(i int) {
	for len(s.best.Trial.Schedule[i].Nodes) > 1 {
		before := len(s.best.Trial.Schedule[i].Nodes)
		for j := range before {
			if s.try(s.with(i, func(d *schedule.Decision) { d.Nodes = slices.Delete(d.Nodes, j, j+1) })) {
				break
			}
		}
		if len(s.best.Trial.Schedule[i].Nodes) == before {
			return
		}
	}
}

// earlier moves a fault to the first or second point of its series, or to a quarter or half of its
// number.
func (s *shrinker) earlier(i int) {
	now := s.best.Trial.Schedule[i].At.Ordinal
	tried := map[int]bool{}
	for _, n := range []int{1, 2, now / 4, now / 2} {
		if n < 1 || n >= now || tried[n] {
			continue
		}
		tried[n] = true
		if s.try(s.with(i, func(d *schedule.Decision) { d.At.Ordinal = n })) {
			s.shorterRun()
			return
		}
	}
}

// A dial is a time of a decision.
type dial struct {
	decision int
	of       func(d *schedule.Decision) *time.Duration
}

// dials returns all times of the best trial.
func (s *shrinker) dials() (all []dial) {
	for i := range s.best.Trial.Schedule {
		for _, of := range []func(d *schedule.Decision) *time.Duration{byOf, forOf} {
			if *of(&s.best.Trial.Schedule[i]) != 0 {
				all = append(all, dial{i, of})
			}
		}
	}
	return all
}

// set returns the best trial with a dial set to a time, or to the longest possible time. The sign
// stays.
func (s *shrinker) set(d dial, to time.Duration) Trial {
	return s.with(d.decision, func(one *schedule.Decision) {
		at := d.of(one)
		if *at < 0 != (to < 0) {
			to = -to
		}
		*at = to
		*one = bounded(*one)
	})
}

// times returns the values that dials are set to: round parts of a TTL, coarse enough that the step
// between two of them is a margin.
func times(ttl time.Duration) (all []time.Duration) {
	for _, percent := range []time.Duration{2, 5, 10, 20, 40, 60, 80, 100, 120, 150, 200, 250, 300, 400} {
		all = append(all, max(time.Millisecond, (ttl*percent/100).Round(time.Millisecond)))
	}
	return slices.Compact(all)
}

// shorterTimes sets each dial to the second-shortest time of times that shows the anomaly, or to
// the third or the shortest, if that occurs in more other worlds.
func (s *shrinker) shorterTimes() {
	for _, d := range s.dials() {
		s.shorten(d)
	}
}

func (s *shrinker) shorten(d dial) {
	now := d.of(&s.best.Trial.Schedule[d.decision]).Abs()
	all := times(s.best.Trial.Order.TTL)
	all = all[:min(len(all), 1+sort.Search(len(all), func(i int) bool { return all[i] >= now }))]
	least := sort.Search(len(all), func(i int) bool { return s.shows(s.set(d, all[i])) != nil })
	for _, i := range []int{least + 1, least + 2, least} {
		if i < len(all) && all[i] != now && s.try(s.set(d, all[i])) && s.seen == others {
			return
		}
	}
}

// round sets each time to the roundest close value that is accepted.
func (s *shrinker) round() {
	for _, d := range s.dials() {
		for _, to := range rounder(*d.of(&s.best.Trial.Schedule[d.decision]), s.best.Trial.Order.TTL) {
			if s.try(s.set(d, to)) {
				break
			}
		}
	}
}

// rounder returns values near a time, the roundest first, down to milliseconds; none if the time is
// in times.
func rounder(of, ttl time.Duration) (all []time.Duration) {
	if of = of.Abs(); slices.Contains(times(ttl), of) {
		return nil
	}
	unit := time.Millisecond
	for unit*10 <= of {
		unit *= 10
	}
	for ; unit >= time.Millisecond; unit /= 10 {
		for _, to := range []time.Duration{of.Round(unit), of.Truncate(unit)} {
			if to == of {
				return all
			}
			if to > 0 && !slices.Contains(all, to) {
				all = append(all, to)
			}
		}
	}
	return all
}

// partOf returns a fraction of the TTL in the syntax of a flag.
func partOf(ttl time.Duration, by int) string {
	return (ttl / time.Duration(by)).Round(time.Millisecond).String()
}

func scaled(d time.Duration, by float64) time.Duration {
	return time.Duration(float64(d) * by).Round(time.Millisecond)
}

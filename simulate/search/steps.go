package search

import (
	"slices"
	"time"

	"locktorture/simulate/schedule"
)

// fewer leaves out faults, the later ones first.
func (s *shrinker) fewer() {
	for i := len(s.best.Trial.Schedule) - 1; i >= 0; i-- {
		t := s.best.Trial
		t.Schedule = slices.Delete(slices.Clone(t.Schedule), i, i+1)
		s.try(t)
	}
}

// clients leaves out clients, as many at once as possible: first all that no fault names, with
// new numbers for the others.
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

// shorterRun ends the run soon after its last fault, or a while later.
func (s *shrinker) shorterRun() {
	last := int64(0)
	for _, d := range s.best.Run.Struck {
		last = max(last, d.At)
	}
	step := s.best.Trial.Order.TTL / 2
	least := time.Duration(last).Truncate(step) + step
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

// servers strikes fewer of them: one alone, else one less as long as that is possible.
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

// earlier strikes at the first point of the series, or the second, or half-way.
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

// dials are all times of the best trial.
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

// shorterTimes shortens all times to whole margins, each to the least that does and one margin
// more. Then all of them together must do with a margin more and with one less; where they do
// not they are made longer again. true: they did.
func (s *shrinker) shorterTimes(reserve int) bool {
	before := s.best
	for _, d := range s.dials() {
		s.shorten(d, reserve)
	}
	if s.keeps() {
		return true
	}
	shrunk := s.best
	for s.between(shrunk, before) {
		if s.keeps() {
			return true
		}
		shrunk = s.best
	}
	s.best = before
	return s.keeps()
}

// shorten finds the least multiple of the margin with which one time does, by halving, and
// takes the next one that does with a margin more and less, too: a margin above it, half of
// one, or itself.
func (s *shrinker) shorten(d dial, reserve int) {
	step := Margin(s.best.Trial.Order.TTL)
	now := *d.of(&s.best.Trial.Schedule[d.decision])
	sign := time.Duration(1)
	if now < 0 {
		sign = -1
	}
	at := func(t time.Duration) Trial {
		return s.with(d.decision, func(one *schedule.Decision) { *d.of(one) = sign * t })
	}
	low, high := time.Duration(0), (now.Abs() + step - 1).Truncate(step)
	for high-low > step && s.left > reserve {
		mid := low + ((high - low) / 2).Truncate(step)
		if s.shows(at(mid)) != nil {
			high = mid
		} else {
			low = mid
		}
	}
	for _, t := range []time.Duration{high + step, high + step/2, high} {
		if s.shows(at(t-step)) != nil && s.shows(at(t+step)) != nil && s.try(at(t)) {
			return
		}
	}
}

// keeps tells whether the mechanism is there with all times a margin longer, and a margin
// shorter.
func (s *shrinker) keeps() bool {
	for _, by := range []time.Duration{-1, 1} {
		if s.left == 0 || len(s.dials()) > 0 && s.shows(s.moved(by)) == nil {
			return false
		}
	}
	return true
}

// moved is the best trial with all times so many margins longer.
func (s *shrinker) moved(by time.Duration) Trial {
	t := s.best.Trial
	t.Schedule = slices.Clone(t.Schedule)
	step := by * Margin(t.Order.TTL)
	for _, d := range s.dials() {
		at := d.of(&t.Schedule[d.decision])
		switch {
		case at.Abs() <= step.Abs() && by < 0: // it would be none
		case *at < 0:
			*at -= step
		default:
			*at += step
		}
	}
	return t
}

// between takes the trial half-way from one to another, whose schedules differ in their times
// alone. false: there is none, or it does not do.
func (s *shrinker) between(one, other *Outcome) bool {
	t := one.Trial
	t.Schedule = slices.Clone(t.Schedule)
	step, moved := Margin(t.Order.TTL), false
	for _, d := range s.dials() {
		at, to := d.of(&t.Schedule[d.decision]), *d.of(&other.Trial.Schedule[d.decision])
		if mid := ((*at + to) / 2).Round(step); mid != 0 && mid != *at {
			*at, moved = mid, true
		}
	}
	return moved && s.try(t)
}

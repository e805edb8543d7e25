package timeline

import (
	"cmp"
	"slices"
	"time"

	"locktorture/history"
)

const (
	// unseenStall is how long the machine can keep a process from running without an entry in
	// the history: the harness records only stalls that last at least that long.
	unseenStall = int64(5 * time.Millisecond)
	// stallsNear is the distance from a moment within which the stalls of the harness show
	// what may have happened to other processes at that moment. It was measured with three
	// sleeping processes on two cores at a load of 15 to 25. The waits of two of them, one
	// after the other, were more than twice the longest stall of the third within one second
	// in 62 of 174,000 moments, within two seconds in one, and within five seconds in none.
	// Five seconds would blunt the check, because load comes and goes.
	stallsNear = int64(2 * time.Second)
)

// addStall takes a time in which the machine kept the harness from running.
func (s *Pauses) addStall(op *history.Op) {
	from, _ := op.Began()
	s.Stalls = append(s.Stalls, Window{from, op.Time})
}

// Pace returns for how long, in ns, any other process may have been kept from running around
// from…to. That is the longest stall of the harness near that time, and at least the time that
// the heartbeat cannot see.
func (s *Pauses) Pace(from, to int64) int64 {
	longest := unseenStall
	for _, w := range s.stallsIn(from-stallsNear, to+stallsNear) {
		longest = max(longest, w.To-w.From)
	}
	return longest
}

// Idle returns for how many ns between from and to a client was stopped, or the harness was
// kept from running. If held is true, it also counts the time for which one of the client's
// messages was kept back.
func (s *Run) Idle(client int, from, to int64, held bool) int64 {
	times := slices.Clone(s.stallsIn(from, to))
	for _, f := range s.Faults {
		if (f.Stops(client) || held && f.holds(client)) && f.From < to && f.To > from {
			times = append(times, Window{f.From, f.To})
		}
	}
	slices.SortFunc(times, func(a, b Window) int { return cmp.Compare(a.From, b.From) })
	sum, known := int64(0), from
	for _, w := range times {
		end := min(w.To, to)
		sum += max(0, end-max(w.From, known))
		known = max(known, end)
	}
	return sum
}

// Stalled returns for how many ns between from and to the harness was kept from running.
func (s *Pauses) Stalled(from, to int64) int64 {
	sum, known := int64(0), from
	for _, w := range s.stallsIn(from, to) {
		end := min(w.To, to)
		sum += max(0, end-max(w.From, known))
		known = max(known, end)
	}
	return sum
}

// stallsIn returns the stalls that overlap from…to. Stalls begin and end in the same order,
// because there is only one heartbeat.
func (s *Pauses) stallsIn(from, to int64) []Window {
	first, _ := slices.BinarySearchFunc(s.Stalls, from, func(w Window, at int64) int { return cmp.Compare(w.To, at) })
	last := first
	for last < len(s.Stalls) && s.Stalls[last].From < to {
		last++
	}
	return s.Stalls[first:last]
}

package timeline

import (
	"cmp"
	"slices"
	"time"

	"locktorture/history"
)

const (
	// unseenStall is how long the machine can keep a process from running without an entry:
	// the harness records a stall that lasts as long.
	unseenStall = int64(5 * time.Millisecond)
	// stallsNear is how far from a moment the stalls lie that tell what may have befallen
	// others then. Measured with three sleeping processes on two cores at a load of 15 to 25:
	// what two of them waited, one after the other, was more than twice the longest stall of
	// the third within one second in 62 of 174,000 moments, within two seconds in one, within
	// five in none. Five seconds blunt the check: load comes and goes.
	stallsNear = int64(2 * time.Second)
)

// addStall takes a time in which the machine kept the harness from running.
func (s *Pauses) addStall(op *history.Op) {
	from, _ := op.Began()
	s.Stalls = append(s.Stalls, Window{from, op.Time})
}

// Pace returns for how long, in ns, any other process may have been kept from running around
// from…to: as long as the harness was, and never less than what its heartbeat cannot see.
func (s *Pauses) Pace(from, to int64) int64 {
	longest := unseenStall
	for _, w := range s.stallsIn(from-stallsNear, to+stallsNear) {
		longest = max(longest, w.To-w.From)
	}
	return longest
}

// Idle returns for how many ns between from and to a client was stopped, or one of its messages was
// kept back if held counts, or the harness was kept from running.
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

// stallsIn returns the stalls that met from…to. They begin and end in one order: there is one
// heartbeat.
func (s *Pauses) stallsIn(from, to int64) []Window {
	first, _ := slices.BinarySearchFunc(s.Stalls, from, func(w Window, at int64) int { return cmp.Compare(w.To, at) })
	last := first
	for last < len(s.Stalls) && s.Stalls[last].From < to {
		last++
	}
	return s.Stalls[first:last]
}

package checker

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
func (s *survey) addStall(op *history.Op) {
	from, _ := op.Began()
	s.stalls = append(s.stalls, window{from, op.Time})
}

// pace is how long any other process may have been kept from running at some time
// from…to, unseen: as long as the harness was at the most, not long before or after.
func (s *survey) pace(from, to int64) int64 {
	longest := unseenStall
	for _, w := range s.stallsIn(from-stallsNear, to+stallsNear) {
		longest = max(longest, w.to-w.from)
	}
	return longest
}

// idle returns for how long between from and to a client was stopped, or a message of it
// kept back if that counts, or the harness was kept from running.
func (s *survey) idle(client int, from, to int64, held bool) int64 {
	times := slices.Clone(s.stallsIn(from, to))
	for _, f := range s.faults {
		if (f.stops(client) || held && f.holds(client)) && f.from < to && f.to > from {
			times = append(times, window{f.from, f.to})
		}
	}
	slices.SortFunc(times, func(a, b window) int { return cmp.Compare(a.from, b.from) })
	sum, known := int64(0), from
	for _, w := range times {
		end := min(w.to, to)
		sum += max(0, end-max(w.from, known))
		known = max(known, end)
	}
	return sum
}

// stalled returns for how long between from and to the harness was kept from running.
func (s *survey) stalled(from, to int64) int64 {
	sum, known := int64(0), from
	for _, w := range s.stallsIn(from, to) {
		end := min(w.to, to)
		sum += max(0, end-max(w.from, known))
		known = max(known, end)
	}
	return sum
}

// stallsIn returns the stalls that were not over at from and had begun at to, in the order
// in which they began and ended: there is one heartbeat.
func (s *survey) stallsIn(from, to int64) []window {
	first, _ := slices.BinarySearchFunc(s.stalls, from, func(w window, at int64) int { return cmp.Compare(w.to, at) })
	last := first
	for last < len(s.stalls) && s.stalls[last].from < to {
		last++
	}
	return s.stalls[first:last]
}

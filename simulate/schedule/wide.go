package schedule

import "time"

// Room is what Wide adds to a time, beside a fifth of it: what a machine that does other
// things as well needs.
const Room = 50 * time.Millisecond

// Wide is the schedule for real servers: faults last longer, and clocks jump farther, each by
// a fifth and Room. A simulated fault is often just long enough, to the millisecond, which no
// real machine keeps.
func (s Schedule) Wide() Schedule {
	wide := append(Schedule{}, s...)
	for i, d := range wide {
		wide[i].For = min(Widen(d.For), MostFor)
		wide[i].By = max(min(Widen(d.By), MostBy), -MostBy)
	}
	return wide
}

// Widen is a time with that room.
func Widen(d time.Duration) time.Duration {
	switch {
	case d == 0:
		return 0
	case d < 0:
		return -Widen(-d)
	}
	return d + d/5 + Room
}

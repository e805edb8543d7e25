package schedule

import "time"

// Room is what Wide adds to a time, beside a fifth of it: what a machine that does other
// things as well needs.
const Room = 50 * time.Millisecond

// Stretch is by how much all times of a run with this schedule are made longer on real
// servers, before they are widened. To move a clock, to stop a server and to start one again
// takes a machine up to some hundred milliseconds, which no schedule has: beside longer times
// they are less.
func (s Schedule) Stretch() int {
	for _, d := range s {
		switch d.Kind {
		case Clock, Stop, Restart:
			return stretched
		}
	}
	return 1
}

// stretched makes a TTL of 500 ms the usual one of real runs.
const stretched = 4

// Slow is the schedule with times so many times as long.
func (s Schedule) Slow(by int) Schedule {
	slow := append(Schedule{}, s...)
	for i, d := range slow {
		slow[i].For = min(d.For*time.Duration(by), MostFor)
		slow[i].By = max(min(d.By*time.Duration(by), MostBy), -MostBy)
	}
	return slow
}

// Wide is the schedule for real servers: faults last longer, and clocks jump farther, each by
// a fifth and Room. A simulated fault is often just long enough, to the millisecond, which no
// real machine keeps. A server that starts again is away for longer without that.
func (s Schedule) Wide() Schedule {
	wide := append(Schedule{}, s...)
	for i, d := range wide {
		wide[i].By = max(min(Widen(d.By), MostBy), -MostBy)
		if d.Kind != Restart {
			wide[i].For = min(Widen(d.For), MostFor)
		}
	}
	return wide
}

// started is what a machine with other work takes to start one of several servers again: five
// took 240 ms with a load of 12, and 470 ms with one of 19.
const started = 100 * time.Millisecond

// Started is the schedule with the time that it takes to start servers again, as it is beside
// times that are stretched.
func (s Schedule) Started() Schedule {
	out := append(Schedule{}, s...)
	for i, d := range out {
		if d.Kind == Restart {
			out[i].For = min(d.For+time.Duration(len(d.Strikes()))*started/stretched, MostFor)
		}
	}
	return out
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

// Phase is how long the phase with faults may last on real servers, of a run in which it lasts
// d. A machine with other work gets through half of the sections in the same time, and the
// points of the schedule come that much later.
func Phase(d time.Duration) time.Duration { return 3 * Widen(d) }

package schedule

import "time"

// Room is the constant that Wide adds to a time, besides a fifth of it: an allowance for a machine
// with other work.
const Room = 50 * time.Millisecond

// Stretch returns the factor by which all times of a run with this schedule are multiplied on real
// servers, before they are widened. Moving a clock, stopping a server or starting one again takes a
// machine up to some hundred milliseconds, which the schedule does not contain. Longer times reduce
// their share.
func (s Schedule) Stretch() int {
	for _, d := range s {
		switch d.Kind {
		case Clock, Stop, Restart:
			return stretched
		}
	}
	return 1
}

// stretched is the factor for schedules with such faults. It turns a TTL of 500 ms into 2 s,
// the usual TTL of real runs.
const stretched = 4

// Slow returns the schedule with all times multiplied.
func (s Schedule) Slow(by int) Schedule {
	slow := append(Schedule{}, s...)
	for i, d := range slow {
		slow[i].For = min(d.For*time.Duration(by), MostFor)
		slow[i].By = max(min(d.By*time.Duration(by), MostBy), -MostBy)
	}
	return slow
}

// Wide returns the schedule for real servers: faults last longer, and clocks jump farther, each by
// a fifth and Room. A simulated fault is often just long enough, to the millisecond, which no real
// machine reproduces. A restarted server is away for longer anyway.
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

// started is the time in which a machine with other work starts one of several servers again: five
// took 240 ms with a load of 12, and 470 ms with a load of 19.
const started = 100 * time.Millisecond

// Started returns the schedule with longer restarts. Each lasts longer by the time in which a
// real machine starts its servers again. That time is divided by stretched, the factor by
// which real runs stretch the times of such a schedule.
func (s Schedule) Started() Schedule {
	out := append(Schedule{}, s...)
	for i, d := range out {
		if d.Kind == Restart {
			out[i].For = min(d.For+time.Duration(len(d.Strikes()))*started/stretched, MostFor)
		}
	}
	return out
}

// Widen returns a time with the allowance that Wide adds: a fifth of the time, and Room.
func Widen(d time.Duration) time.Duration {
	switch {
	case d == 0:
		return 0
	case d < 0:
		return -Widen(-d)
	}
	return d + d/5 + Room
}

// Phase returns the duration of the phase with faults on real servers, for a simulated phase of d.
// A machine with other work executes half of the sections in the same time, and the points of the
// schedule are reached later.
func Phase(d time.Duration) time.Duration { return 3 * Widen(d) }

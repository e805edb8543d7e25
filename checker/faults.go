package checker

import (
	"math"
	"slices"
	"time"

	"locktorture/history"
)

// killClient strikes at one moment; there is nothing in place afterwards.
const killClient = "kill-client"

// A span is a fault from the moment at which its effect was seen to its heal.
type span struct {
	fault, heal *history.Op // heal is nil if it never was healed
	from, to    int64
}

func (s *span) kind() string { return s.fault.Key }

func (s *survey) addFault(op *history.Op) {
	if op.Type == history.Fail { // it found nobody to strike, but may have begun
		if op.UntilMin > 0 {
			s.prepared = append(s.prepared, window{op.UntilMin, op.Time})
		}
		return
	}
	if op.F == history.Fault {
		s.faults = append(s.faults, &span{fault: op, from: op.Time, to: math.MaxInt64})
		if op.UntilMin > 0 {
			s.prepared = append(s.prepared, window{op.UntilMin, op.Time})
		}
		if s.lastGrant == op.Time {
			s.recoveries.Add(0)
			s.recovered++
		}
		return
	}
	for _, f := range slices.Backward(s.faults) {
		if f.fault.Fault == op.Fault && f.heal == nil {
			f.heal, f.to = op, op.Time
			return
		}
	}
}

func (s *survey) finishFaults() {
	for _, f := range s.faults {
		if f.kind() == killClient {
			f.to = f.from
		}
	}
}

// stops tells that the fault is a stop of a client.
func (s *span) stops(client int) bool { return s.kind() == "pause" && s.fault.Client == client }

// holds tells that the fault keeps a message of a client back.
func (s *span) holds(client int) bool { return s.kind() == "hold" && s.fault.Client == client }

// stopped returns for how long between from and to a client was stopped.
func (v *survey) stopped(client int, from, to int64) int64 {
	var sum int64
	for _, s := range v.faults {
		if s.stops(client) && s.from < to && s.to > from {
			sum += min(s.to, to) - max(s.from, from)
		}
	}
	return sum
}

// seenLate allows for the time between a fault and its record: a fault is
// recorded when its effect was seen, and some take a while to be seen.
func (s *span) seenLate() int64 {
	switch s.kind() {
	case "failover", "restart", "clock", "leader", killClient:
		return int64(500 * time.Millisecond)
	}
	return 0
}

// during returns the faults that were in place at some time from…to.
func (v *survey) during(from, to int64) []history.Op {
	var ops []history.Op
	for _, s := range v.faults {
		if s.from <= to+s.seenLate() && s.to >= from {
			ops = append(ops, *s.fault)
		}
	}
	return ops
}

// disturbed tells that a fault that can take a lock from its holder on the
// server, or leave a copy of it behind, was in place at some time from…to. A
// fail-over begins with cutting the replicas off, some seconds before it is
// seen; until then they keep what the primary has given up.
func (v *survey) disturbed(from, to int64) bool {
	for _, s := range v.faults {
		late := s.seenLate()
		if s.kind() == "failover" {
			late = int64(5 * time.Second)
		}
		if s.from > to+late || s.to < from {
			continue
		}
		switch {
		case s.kind() == "clock", s.kind() == "restart", s.kind() == "failover", s.kind() == "partition", s.kind() == "leader":
			return true
		case s.kind() == "pause" && s.fault.Client == 0: // a stopped server
			return true
		}
	}
	return false
}

// copies tells that servers may have kept copies of what was given up.
func (v *survey) copies(from, to int64) bool {
	return slices.ContainsFunc(v.faults, func(s *span) bool {
		return (s.kind() == "failover" || s.kind() == "restart") && s.from <= to+int64(5*time.Second) && s.to >= from
	})
}

// began is when a fault began, which may be before its effect was seen.
func (s *span) began() int64 {
	if s.fault.UntilMin > 0 {
		return min(s.fault.UntilMin, s.from)
	}
	return s.from - s.seenLate()
}

// explained tells that what happened to a client from…to may have come of a
// fault: one that struck it, or no client in particular.
func (v *survey) explained(client int, from, to int64) bool {
	return slices.ContainsFunc(v.faults, func(s *span) bool {
		return s.began() <= to && s.to >= from && (s.fault.Client == 0 || s.fault.Client == client)
	}) || slices.ContainsFunc(v.prepared, func(w window) bool { return w.from <= to && w.to >= from })
}

// disturbedServers tells that a fault was in place from…to that struck more
// than the process of a client.
func (v *survey) disturbedServers(from, to int64) bool {
	return slices.ContainsFunc(v.faults, func(s *span) bool {
		process := s.fault.Client > 0 && (s.kind() == "pause" || s.kind() == killClient)
		return !process && s.began() <= to && s.to >= from
	}) || slices.ContainsFunc(v.prepared, func(w window) bool { return w.from <= to && w.to >= from })
}

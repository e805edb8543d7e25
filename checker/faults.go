package checker

import (
	"cmp"
	"math"
	"slices"
	"time"

	"locktorture/history"
)

// A span is a fault from the moment at which its effect was seen to its heal.
type span struct {
	fault, heal *history.Op // heal is nil if it never was healed
	traits      history.FaultTraits
	from, to    int64
	lived       int64  // of a kill: when it was sent, else the victim's last sign of life
	waitedFor   string // the lock that a stopped or killed client waited for; "": none
}

func (s *span) kind() string { return s.fault.Kind() }

// effect tells what became of its victim.
func (s *span) effect(e history.Effect) bool { return s.traits.Effect == e }

// moment reports whether there is nothing in place once it has struck.
func (s *span) moment() bool { return s.effect(history.Killed) }

func (s *survey) addFault(op *history.Op) {
	if op.F == history.Fault {
		s.declared[op.Kind()] = op.FaultTraits()
	}
	// One that strikes a client disturbs nobody else before it has struck.
	if at, ok := op.Began(); ok && op.F == history.Fault && op.Client == 0 {
		s.prepared = append(s.prepared, window{at, op.Time})
	}
	if op.Type == history.Fail { // it found nobody to strike, but may have begun
		return
	}
	if op.F == history.Fault {
		s.faults = append(s.faults, s.struck(op))
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

// struck is a fault whose effect was seen just now.
func (s *survey) struck(op *history.Op) *span {
	f := &span{fault: op, traits: op.FaultTraits(), from: op.Time, to: math.MaxInt64}
	if f.effect(history.Stopped) && op.Client > 0 {
		f.waitedFor = s.waitsFor(op.Client)
	}
	return f
}

// waitsFor is the lock that a client waits for just now, "" if it waits for none.
func (s *survey) waitsFor(client int) string {
	for _, b := range s.open {
		if (b.op.F == history.Acquire || b.op.F == history.Await) && s.client(b.op) == client {
			return b.op.Lock
		}
	}
	return ""
}

// finishFaults fills in what of a kill its crash says: when the victim surely lived still –
// until the kill was sent, or its last sign of life – and what it waited for. Without a crash in
// the history nothing is known of that.
func (s *survey) finishFaults() {
	for _, f := range s.faults {
		if !f.moment() {
			continue
		}
		f.to, f.lived = f.from, math.MinInt64
		if crash := s.crashOf(f); crash != nil {
			f.lived, f.waitedFor = s.lived[crash], s.waited[crash]
		}
	}
}

// crashOf is the crash that belongs to a kill: the client's nearest.
func (s *survey) crashOf(f *span) (nearest *history.Op) {
	best := int64(math.MaxInt64)
	for _, op := range s.crashes {
		d := max(op.Time-f.from, f.from-op.Time)
		if s.client(op) == f.fault.Client && d < best {
			nearest, best = op, d
		}
	}
	return nearest
}

// stops reports whether the fault is a stop of a client.
func (s *span) stops(client int) bool { return s.effect(history.Stopped) && s.fault.Client == client }

// holds reports whether the fault keeps a message of a client back.
func (s *span) holds(client int) bool { return s.effect(history.Held) && s.fault.Client == client }

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
func (s *span) seenLate() int64 { return int64(s.traits.SeenLate) }

// takes reports whether it can take a lock from its holder on a server, or leave a copy of it
// behind. So does every server that stands still.
func (s *span) takes() bool {
	return s.traits.TakesLocks || s.effect(history.Stopped) && s.fault.Client == 0
}

// during returns the faults that were in place at some time from…to.
func (v *survey) during(from, to int64) []history.Op {
	var ops []history.Op
	for _, s := range v.faults {
		if s.began() <= to && s.to >= from {
			ops = append(ops, *s.fault)
		}
	}
	return ops
}

// disturbed reports whether a fault that can take a lock from its holder on the
// server, or leave a copy of it behind, was in place at some time from…to.
func (v *survey) disturbed(from, to int64) bool {
	return slices.ContainsFunc(v.faults, func(s *span) bool {
		late := max(s.seenLate(), int64(s.traits.Ahead))
		return s.takes() && min(s.began(), s.from-late) <= to && s.to >= from
	})
}

// copiesBefore is for how long before a fault is seen servers may have begun to keep copies.
const copiesBefore = 5 * time.Second

// copies reports whether servers may have kept copies of what was given up.
func (v *survey) copies(from, to int64) bool {
	return slices.ContainsFunc(v.faults, func(s *span) bool {
		return s.traits.LeavesCopies && s.from <= to+int64(copiesBefore) && s.to >= from
	})
}

// began is when a fault began at the earliest, which may be before its effect was seen. Nobody
// was killed before the last sign of life.
func (s *span) began() int64 {
	at, ok := s.fault.Began()
	if !ok {
		at = s.from - s.seenLate()
	}
	if s.moment() {
		at = min(max(at, s.lived), s.from)
	}
	return at
}

// explained reports whether what happened to a client from…to may have come of a
// fault: one that struck it, or no client in particular.
func (v *survey) explained(client int, from, to int64) bool {
	return slices.ContainsFunc(v.faults, func(s *span) bool {
		return s.began() <= to && s.to >= from && (s.fault.Client == 0 || s.fault.Client == client)
	}) || slices.ContainsFunc(v.prepared, func(w window) bool { return w.from <= to && w.to >= from })
}

// disturbedServers reports whether a fault was in place from…to that struck more
// than the process of a client.
func (v *survey) disturbedServers(from, to int64) bool {
	return slices.ContainsFunc(v.faults, func(s *span) bool {
		process := s.fault.Client > 0 && (s.effect(history.Stopped) || s.effect(history.Killed))
		return !process && s.began() <= to && s.to >= from
	}) || slices.ContainsFunc(v.prepared, func(w window) bool { return w.from <= to && w.to >= from })
}

// death is when the victim of a kill was gone.
func (s *survey) death(kill *span) int64 {
	if crash := s.crashOf(kill); crash != nil {
		return crash.Time
	}
	return math.MaxInt64
}

// limit is that time in a window, up to a moment and so long after it: what the machine itself
// kept everybody waiting in it does not count.
func (s *survey) limit(win window, after int64) func(at int64) int64 {
	return func(at int64) int64 { return s.o.freeBy() + s.stalled(win.from, at+after) }
}

// disturbances are the faults that were in place at some time from…to.
func (s *survey) disturbances(from, to int64) []cut {
	var cuts []cut
	for _, f := range s.faults {
		if !f.moment() && f.to > from && f.from < to {
			cuts = append(cuts, cut{window{f.from, f.to}, nil})
		}
	}
	for _, w := range s.prepared {
		if w.to > from && w.from < to {
			cuts = append(cuts, cut{w, nil})
		}
	}
	return cuts
}

// A window is a time from…to.
type window struct{ from, to int64 }

// A cut is a time in which a lock may have been had: a fault was in place, or
// a call may have been granted.
type cut struct {
	window
	by *wait // nil for a fault
}

// between returns what the cuts leave of from…to.
func between(cuts []cut, from, to int64) []window {
	cuts = slices.Clone(cuts)
	slices.SortFunc(cuts, func(a, b cut) int { return cmp.Compare(a.from, b.from) })
	var out []window
	for _, c := range cuts {
		if c.from > from {
			out = append(out, window{from, min(c.from, to)})
		}
		if from = max(from, c.to); from >= to {
			return out
		}
	}
	return append(out, window{from, to})
}

// multiple is a multiple of a limit.
func multiple(n int64, limit func(int64) int64) func(int64) int64 {
	return func(at int64) int64 { return n * limit(at) }
}

// longestStop is for how long a client was stopped at most.
func (v *survey) longestStop() int64 {
	most := int64(0)
	for _, s := range v.faults {
		if s.effect(history.Stopped) && s.fault.Client > 0 {
			most = max(most, min(s.to, v.end)-s.from)
		}
	}
	return most
}

// A stuck call is one that nothing but the latch or the barrier can have kept: stuck is the
// first time from…to, with no fault in place, that is longer than so many times what it may
// take.
func (s *survey) stuck(from, to, times int64) (window, bool) {
	if s.o.FreeWithin <= 0 || from >= to {
		return window{}, false
	}
	for _, w := range between(s.disturbances(from, to), from, to) {
		if w.to-w.from > times*s.limit(w, 0)(w.to) {
			return w, true
		}
	}
	return window{}, false
}

package timeline

import (
	"cmp"
	"math"
	"slices"
	"time"

	"locktorture/history"
)

// A span is a fault from the moment at which its effect was seen to its heal.
type Fault struct {
	Op, Heal *history.Op // heal is nil if it never was healed
	Traits   history.FaultTraits
	From, To int64
	lived    int64 // of a kill: when it was sent, else the victim's last sign of life
	// WaitedFor is the lock that a client waited for when it was stopped or killed; "" if none.
	WaitedFor string
}

func (s *Fault) Kind() string { return s.Op.Kind() }

// effect tells what became of its victim.
func (s *Fault) Effect(e history.Effect) bool { return s.Traits.Effect == e }

// moment reports whether there is nothing in place once it has struck.
func (s *Fault) Moment() bool { return s.Effect(history.Killed) }

func (s *surveyor) addFault(op *history.Op) {
	if op.F == history.Fault {
		s.Declared[op.Kind()] = op.FaultTraits()
	}
	// One that strikes a client disturbs nobody else before it has struck.
	if at, ok := op.Began(); ok && op.F == history.Fault && op.Client == 0 {
		s.Prepared = append(s.Prepared, Window{at, op.Time})
	}
	if op.Type == history.Fail { // it found nobody to strike, but may have begun
		return
	}
	if op.F == history.Fault {
		s.Faults = append(s.Faults, s.struck(op))
		if s.lastGrant == op.Time {
			s.Recoveries.Add(0)
			s.recovered++
		}
		return
	}
	for _, f := range slices.Backward(s.Faults) {
		if f.Op.Fault == op.Fault && f.Heal == nil {
			f.Heal, f.To = op, op.Time
			return
		}
	}
}

// struck is a fault whose effect was seen just now.
func (s *surveyor) struck(op *history.Op) *Fault {
	f := &Fault{Op: op, Traits: op.FaultTraits(), From: op.Time, To: math.MaxInt64}
	if f.Effect(history.Stopped) && op.Client > 0 {
		f.WaitedFor = s.waitsFor(op.Client)
	}
	return f
}

// waitsFor is the lock that a client waits for just now, "" if it waits for none.
func (s *surveyor) waitsFor(client int) string {
	for _, b := range s.open {
		if (b.op.F == history.Acquire || b.op.F == history.Await) && s.Client(b.op) == client {
			return b.op.Lock
		}
	}
	return ""
}

// finishFaults fills in what the crash says of each kill: when the victim surely lived still,
// which is until the kill was sent or its last sign of life, and what it waited for. Nothing of
// that is known where the history has no crash.
func (s *Run) finishFaults() {
	for _, f := range s.Faults {
		if !f.Moment() {
			continue
		}
		f.To, f.lived = f.From, math.MinInt64
		if crash := s.crashOf(f); crash != nil {
			f.lived, f.WaitedFor = s.lived[crash], s.waited[crash]
		}
	}
}

// crashOf is the crash that belongs to a kill: the client's nearest.
func (s *Run) crashOf(f *Fault) (nearest *history.Op) {
	best := int64(math.MaxInt64)
	for _, op := range s.Crashes {
		d := max(op.Time-f.From, f.From-op.Time)
		if s.Client(op) == f.Op.Client && d < best {
			nearest, best = op, d
		}
	}
	return nearest
}

// stops reports whether the fault is a stop of a client.
func (s *Fault) Stops(client int) bool { return s.Effect(history.Stopped) && s.Op.Client == client }

// holds reports whether the fault keeps a message of a client back.
func (s *Fault) holds(client int) bool { return s.Effect(history.Held) && s.Op.Client == client }

// stopped returns for how long between from and to a client was stopped.
func (v *Troubles) stopped(client int, from, to int64) int64 {
	var sum int64
	for _, s := range v.Faults {
		if s.Stops(client) && s.From < to && s.To > from {
			sum += min(s.To, to) - max(s.From, from)
		}
	}
	return sum
}

// seenLate allows for the time between a fault and its record: a fault is
// recorded when its effect was seen, and some take a while to be seen.
func (s *Fault) seenLate() int64 { return int64(s.Traits.SeenLate) }

// takes reports whether it can take a lock from its holder on a server, or leave a copy of it
// behind. So does every server that stands still.
func (s *Fault) Takes() bool {
	return s.Traits.TakesLocks || s.Effect(history.Stopped) && s.Op.Client == 0
}

// during returns the faults that were in place at some time from…to.
func (v *Troubles) During(from, to int64) []history.Op {
	var ops []history.Op
	for _, s := range v.Faults {
		if s.Began() <= to && s.To >= from {
			ops = append(ops, *s.Op)
		}
	}
	return ops
}

// disturbed reports whether a fault that can take a lock from its holder on the
// server, or leave a copy of it behind, was in place at some time from…to.
func (v *Troubles) Disturbed(from, to int64) bool {
	return slices.ContainsFunc(v.Faults, func(s *Fault) bool {
		late := max(s.seenLate(), int64(s.Traits.Ahead))
		return s.Takes() && min(s.Began(), s.From-late) <= to && s.To >= from
	})
}

// copiesBefore is for how long before a fault is seen servers may have begun to keep copies.
const copiesBefore = 5 * time.Second

// copies reports whether servers may have kept copies of what was given up.
func (v *Troubles) Copies(from, to int64) bool {
	return slices.ContainsFunc(v.Faults, func(s *Fault) bool {
		return s.Traits.LeavesCopies && s.From <= to+int64(copiesBefore) && s.To >= from
	})
}

// began is when a fault began at the earliest, which may be before its effect was seen. Nobody
// was killed before the last sign of life.
func (s *Fault) Began() int64 {
	at, ok := s.Op.Began()
	if !ok {
		at = s.From - s.seenLate()
	}
	if s.Moment() {
		at = min(max(at, s.lived), s.From)
	}
	return at
}

// explained reports whether what happened to a client from…to may have come of a
// fault: one that struck it, or no client in particular.
func (v *Troubles) Explained(client int, from, to int64) bool {
	return slices.ContainsFunc(v.Faults, func(s *Fault) bool {
		return s.Began() <= to && s.To >= from && (s.Op.Client == 0 || s.Op.Client == client)
	}) || slices.ContainsFunc(v.Prepared, func(w Window) bool { return w.From <= to && w.To >= from })
}

// disturbedServers reports whether a fault was in place from…to that struck more
// than the process of a client.
func (v *Troubles) DisturbedServers(from, to int64) bool {
	return slices.ContainsFunc(v.Faults, func(s *Fault) bool {
		process := s.Op.Client > 0 && (s.Effect(history.Stopped) || s.Effect(history.Killed))
		return !process && s.Began() <= to && s.To >= from
	}) || slices.ContainsFunc(v.Prepared, func(w Window) bool { return w.From <= to && w.To >= from })
}

// death is when the victim of a kill was gone.
func (s *Run) Death(kill *Fault) int64 {
	if crash := s.crashOf(kill); crash != nil {
		return crash.Time
	}
	return math.MaxInt64
}

// limit is that time in a window, up to a moment and so long after it: what the machine itself
// kept everybody waiting in it does not count.
func (s *Run) Limit(win Window, after int64) func(at int64) int64 {
	return func(at int64) int64 { return s.Options.FreeBy() + s.Stalled(win.From, at+after) }
}

// disturbances are the faults that were in place at some time from…to.
func (s *Troubles) Disturbances(from, to int64) []Cut {
	var cuts []Cut
	for _, f := range s.Faults {
		if !f.Moment() && f.To > from && f.From < to {
			cuts = append(cuts, Cut{Window{f.From, f.To}, nil})
		}
	}
	for _, w := range s.Prepared {
		if w.To > from && w.From < to {
			cuts = append(cuts, Cut{w, nil})
		}
	}
	return cuts
}

// A window is a time from…to.
type Window struct{ From, To int64 }

// A cut is a time in which a lock may have been had: a fault was in place, or
// a call may have been granted.
type Cut struct {
	Window
	By *Call // nil for a fault
}

// between returns what the cuts leave of from…to.
func Between(cuts []Cut, from, to int64) []Window {
	cuts = slices.Clone(cuts)
	slices.SortFunc(cuts, func(a, b Cut) int { return cmp.Compare(a.From, b.From) })
	var out []Window
	for _, c := range cuts {
		if c.From > from {
			out = append(out, Window{from, min(c.From, to)})
		}
		if from = max(from, c.To); from >= to {
			return out
		}
	}
	return append(out, Window{from, to})
}

// longestStop is for how long a client was stopped at most.
func (v *Run) LongestStop() int64 {
	most := int64(0)
	for _, s := range v.Faults {
		if s.Effect(history.Stopped) && s.Op.Client > 0 {
			most = max(most, min(s.To, v.End)-s.From)
		}
	}
	return most
}

// A stuck call is one that nothing but the latch or the barrier can have kept: stuck is the
// first time from…to, with no fault in place, that is longer than so many times what it may
// take.
func (s *Run) Stuck(from, to, times int64) (Window, bool) {
	if s.Options.FreeWithin <= 0 || from >= to {
		return Window{}, false
	}
	for _, w := range Between(s.Disturbances(from, to), from, to) {
		if w.To-w.From > times*s.Limit(w, 0)(w.To) {
			return w, true
		}
	}
	return Window{}, false
}

package timeline

import (
	"cmp"
	"math"
	"slices"
	"time"

	"locktorture/history"
)

// A Fault lasts from the moment at which its effect was seen to its heal.
type Fault struct {
	Op, Heal *history.Op // Heal is nil if the fault was never healed
	Traits   history.FaultTraits
	From, To int64 // when its effect was seen; when it was healed, MaxInt64 for never. A kill has To = From
	lived    int64 // of a kill: until when the victim surely lived (when the kill was sent, else the last sign of life)
	// WaitedFor is the lock that a client waited for when it was stopped or killed; "" if none.
	WaitedFor string
}

// Kind names the nemesis.
func (s *Fault) Kind() string { return s.Op.Kind() }

// Effect reports whether the fault had that effect on its victim.
func (s *Fault) Effect(e history.Effect) bool { return s.Traits.Effect == e }

// Moment reports whether nothing stays in place once the fault has struck, as for a kill.
func (s *Fault) Moment() bool { return s.Effect(history.Killed) }

// addFault takes a fault or its heal.
func (s *surveyor) addFault(op *history.Op) {
	if op.F == history.Fault {
		s.Declared[op.Kind()] = op.FaultTraits()
	}
	// A fault of a single client disturbs nobody else before it strikes, so only other faults
	// count as prepared.
	if at, ok := op.Began(); ok && op.F == history.Fault && op.Client == 0 {
		s.Prepared = append(s.Prepared, Window{at, op.Time})
	}
	if op.Type == history.Fail { // the fault found nobody to strike, but may have begun
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

// struck returns a fault whose effect was seen just now.
func (s *surveyor) struck(op *history.Op) *Fault {
	f := &Fault{Op: op, Traits: op.FaultTraits(), From: op.Time, To: math.MaxInt64}
	if f.Effect(history.Stopped) && op.Client > 0 {
		f.WaitedFor = s.waitsFor(op.Client)
	}
	return f
}

// waitsFor returns the lock that a client waits for just now; "" if it waits for none. Of several
// calls under way the latest counts: a client that lost an answer goes on as another process, and
// its earlier call stays open.
func (s *surveyor) waitsFor(client int) string {
	latest := begun{line: -1}
	for _, b := range s.open {
		if (b.op.F == history.Acquire || b.op.F == history.Await) && s.Client(b.op) == client && b.line > latest.line {
			latest = b
		}
	}
	if latest.op == nil {
		return ""
	}
	return latest.op.Lock
}

// finishFaults adds to each kill what the crash of its victim says: until when the victim surely
// lived, and what it waited for. The victim lived until the kill was sent, or its last sign of
// life. If the history has no crash for a kill, neither is known.
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

// crashOf returns the crash that belongs to a kill: of the victim's crashes, the one nearest
// in time; nil if it has none.
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

// Stops reports whether the fault stops that client.
func (s *Fault) Stops(client int) bool { return s.Effect(history.Stopped) && s.Op.Client == client }

// holds reports whether the fault delays a message of a client.
func (s *Fault) holds(client int) bool { return s.Effect(history.Held) && s.Op.Client == client }

// stopped returns for how many ns between from and to a client was stopped.
func (s *Troubles) stopped(client int, from, to int64) int64 {
	var sum int64
	for _, f := range s.Faults {
		if f.Stops(client) && f.From < to && f.To > from {
			sum += min(f.To, to) - max(f.From, from)
		}
	}
	return sum
}

// seenLate returns by how many ns the record of a fault may be late: it is written when the effect
// was seen, and some effects take a while to be seen.
func (s *Fault) seenLate() int64 { return int64(s.Traits.SeenLate) }

// Takes reports whether the fault can take a lock from its holder on a server, or leave a copy of
// it behind. Every fault that stops a server can.
func (s *Fault) Takes() bool {
	return s.Traits.TakesLocks || s.Effect(history.Stopped) && s.Op.Client == 0
}

// During returns the faults that were in place at some time from…to.
func (s *Troubles) During(from, to int64) []history.Op {
	var ops []history.Op
	for _, f := range s.Faults {
		if f.Began() <= to && f.To >= from {
			ops = append(ops, *f.Op)
		}
	}
	return ops
}

// Disturbed reports whether a fault that can take a lock from its holder on a server, or leave a
// copy of it behind, was in place at some time from…to.
func (s *Troubles) Disturbed(from, to int64) bool {
	return slices.ContainsFunc(s.Faults, func(f *Fault) bool {
		late := max(f.seenLate(), int64(f.Traits.Ahead))
		return f.Takes() && min(f.Began(), f.From-late) <= to && f.To >= from
	})
}

// copiesBefore is how long before the effect of a fault is seen the servers may already have
// kept copies.
const copiesBefore = 5 * time.Second

// Copies reports whether servers may have kept copies of a lock, at some time from…to, after
// its holder gave it up.
func (s *Troubles) Copies(from, to int64) bool {
	return slices.ContainsFunc(s.Faults, func(f *Fault) bool {
		return f.Traits.LeavesCopies && f.From <= to+int64(copiesBefore) && f.To >= from
	})
}

// Began returns the earliest moment at which a fault can have begun, which may be before its effect
// was seen. No client was killed before its last sign of life.
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

// Explained reports whether a fault may have caused what happened to a client from…to. Faults
// count if they struck that client, or no client in particular.
func (s *Troubles) Explained(client int, from, to int64) bool {
	return slices.ContainsFunc(s.Faults, func(f *Fault) bool {
		return f.Began() <= to && f.To >= from && (f.Op.Client == 0 || f.Op.Client == client)
	}) || slices.ContainsFunc(s.Prepared, func(w Window) bool { return w.From <= to && w.To >= from })
}

// DisturbedServers reports whether a fault that struck more than the process of a client was in
// place at some time from…to.
func (s *Troubles) DisturbedServers(from, to int64) bool {
	return slices.ContainsFunc(s.Faults, func(f *Fault) bool {
		process := f.Op.Client > 0 && (f.Effect(history.Stopped) || f.Effect(history.Killed))
		return !process && f.Began() <= to && f.To >= from
	}) || slices.ContainsFunc(s.Prepared, func(w Window) bool { return w.From <= to && w.To >= from })
}

// Death returns when the victim of a kill was gone, MaxInt64 if no crash was recorded.
func (s *Run) Death(kill *Fault) int64 {
	if crash := s.crashOf(kill); crash != nil {
		return crash.Time
	}
	return math.MaxInt64
}

// Limit returns a function of a moment at: for how many ns a lock may be asked for in vain in
// a window up to then. That is FreeBy, plus the stalls of the machine from the beginning of
// the window to at+after.
func (s *Run) Limit(win Window, after int64) func(at int64) int64 {
	return func(at int64) int64 { return s.Options.FreeBy() + s.Stalled(win.From, at+after) }
}

// Disturbances returns the faults that were in place at some time from…to, as cuts: times in
// which somebody may have had a lock.
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

// A Window is a time from…to, in ns.
type Window struct{ From, To int64 }

// A Cut is a time in which somebody may have had a lock, because a fault was in place or a
// call may have been granted.
type Cut struct {
	Window
	By *Call // the call that may have been granted; nil for a fault
}

// Between returns the parts of from…to that lie in none of the cuts.
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

// LongestStop returns the longest time, in ns, for which a client was stopped.
func (s *Run) LongestStop() int64 {
	most := int64(0)
	for _, f := range s.Faults {
		if f.Effect(history.Stopped) && f.Op.Client > 0 {
			most = max(most, min(f.To, s.End)-f.From)
		}
	}
	return most
}

// Stuck returns the first window within from…to that has no fault in place and is longer than
// times × the limit of a call. Only the latch or the barrier can have kept the call waiting
// for so long. It reports false if there is no such window, or if the run declares no
// FreeWithin.
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

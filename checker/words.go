package checker

import (
	"fmt"
	"locktorture/history"
	"locktorture/internal/figures"
	"math"
)

// what names what was granted: "stock", "stock as a reader", "2 of 3 permits of pool".
func (l *lease) what() string {
	switch {
	case l.permits > 0:
		return fmt.Sprintf("%d of %d permits of %s", l.permits, l.capacity, l.lock.name)
	case l.upgraded != nil:
		return l.lock.name + " as a writer, by an upgrade"
	case l.shared:
		return l.lock.name + " as a reader"
	case l.campaign:
		return "the leadership of " + l.lock.name
	}
	return l.lock.name
}

// claimed names the lease with what it is of, where that is not the whole lock: "lease 7 as a
// reader".
func (l *lease) claimed() string {
	switch {
	case l.permits > 0:
		return fmt.Sprintf("%s of %d permits", l.name(), l.permits)
	case l.shared:
		return l.name() + " as a reader"
	}
	return l.name()
}

// at names a moment of the run: "3.214 s".
func at(t int64) string {
	switch t {
	case history.Never:
		return "ever"
	case math.MinInt64:
		return "never"
	}
	return fmt.Sprintf("%.3f s", float64(t)/1e9)
}

// dur writes a length of time: "1.2 s".
func dur(d int64) string { return figures.Span(d) }

// who names a client, or the process where no client is known.
func who(client int) string {
	if client < 0 {
		return fmt.Sprintf("process %d", -client-1)
	}
	return fmt.Sprintf("c%d", client)
}

// holds describes how long the promise of a lease lasted.
func (l *lease) holds(o Options) string {
	declared := ""
	if o.Bounded && len(l.answers) > 0 {
		declared = l.declared()
		if l.end != l.told {
			return "was " + declared
		}
		declared += " and "
	}
	switch {
	case l.crash != nil && l.told == l.killed:
		return "was " + declared + "held until its client was killed, at " + at(l.end) + " at the earliest"
	case l.relCall != nil && l.told == l.relCall.Time:
		return "was " + declared + "not released before " + at(l.end)
	case l.told < math.MaxInt64:
		return "was " + declared + "not told its loss before " + at(l.end)
	}
	return "was " + declared + "never released"
}

// declared is the validity that the lock itself told.
func (l *lease) declared() string {
	if until := l.validity(); until != history.Never {
		return "declared valid until at least " + at(until)
	}
	return "declared valid without end"
}

// name is "lease 41", with the token if it has one.
func (l *lease) name() string {
	if l.token != 0 {
		return fmt.Sprintf("lease %d with token %d", l.n, l.token)
	}
	return fmt.Sprintf("lease %d", l.n)
}

// deed describes a store operation: `wrote L/counter = "7"`.
func (a *access) deed() string {
	op := a.op()
	if op.F == history.Read {
		return "read " + op.Key
	}
	return fmt.Sprintf("wrote %s = %q", op.Key, op.Value)
}

// by names who did a store operation: "c2 (lease 41)".
func by(op *history.Op) string {
	switch {
	case op.Lease == 0 && op.Client == 0:
		return "the initial state"
	case op.Lease == 0:
		return fmt.Sprintf("c%d (without the lock)", op.Client)
	}
	if op.Client == 0 {
		return fmt.Sprintf("process %d (lease %d)", op.Process, op.Lease)
	}
	return fmt.Sprintf("c%d (lease %d)", op.Client, op.Lease)
}

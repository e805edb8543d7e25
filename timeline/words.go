package timeline

import (
	"fmt"
	"math"

	"locktorture/history"
	"locktorture/internal/figures"
)

// What names what was granted: "stock", "stock as a reader", "2 of 3 permits of pool".
func (l *Lease) What() string {
	switch {
	case l.Permits > 0:
		return fmt.Sprintf("%d of %d permits of %s", l.Permits, l.Capacity, l.Lock.Name)
	case l.upgraded != nil:
		return l.Lock.Name + " as a writer, by an upgrade"
	case l.Shared:
		return l.Lock.Name + " as a reader"
	case l.Campaign:
		return "the leadership of " + l.Lock.Name
	}
	return l.Lock.Name
}

// Claimed names the lease, and its part of the lock if it does not have all of it: "lease 7 as
// a reader".
func (l *Lease) Claimed() string {
	switch {
	case l.Permits > 0:
		return fmt.Sprintf("%s of %d permits", l.Name(), l.Permits)
	case l.Shared:
		return l.Name() + " as a reader"
	}
	return l.Name()
}

// At names a moment of the run: "3.214 s".
func At(t int64) string {
	switch t {
	case history.Never:
		return "ever"
	case math.MinInt64:
		return "never"
	}
	return fmt.Sprintf("%.3f s", float64(t)/1e9)
}

// Dur writes a duration of d ns: "1.2 s".
func Dur(d int64) string { return figures.Span(d) }

// Who names a client, or the process where the client is not known.
func Who(client int) string {
	if client < 0 {
		return fmt.Sprintf("process %d", -client-1)
	}
	return fmt.Sprintf("c%d", client)
}

// Holds says how long the promise of a lease lasted.
func (l *Lease) Holds(o Options) string {
	declared := ""
	if o.Bounded && len(l.Answers) > 0 {
		declared = l.Declared()
		if l.End != l.Told {
			return "was " + declared
		}
		declared += " and "
	}
	switch {
	case l.Crash != nil && l.Told == l.Killed:
		return "was " + declared + "held until its client was killed, at " + At(l.End) + " at the earliest"
	case l.RelCall != nil && l.Told == l.RelCall.Time:
		return "was " + declared + "not released before " + At(l.End)
	case l.Told < math.MaxInt64:
		return "was " + declared + "not reported lost before " + At(l.End)
	}
	return "was " + declared + "never released"
}

// Declared says which validity the lock itself reported.
func (l *Lease) Declared() string {
	if until := l.Answers.validity(); until != history.Never {
		return "declared valid until at least " + At(until)
	}
	return "declared valid without end"
}

// Name returns "lease 41", with the token if the lease has one.
func (l *Lease) Name() string {
	if l.Token != 0 {
		return fmt.Sprintf("lease %d with token %d", l.Number, l.Token)
	}
	return fmt.Sprintf("lease %d", l.Number)
}

// Deed describes an operation on a store: `wrote L/counter = "7"`.
func (a *Access) Deed() string {
	op := a.Op()
	if op.F == history.Read {
		return "read " + op.Key
	}
	return fmt.Sprintf("wrote %s = %q", op.Key, op.Value)
}

// By names who did an operation on a store: "c2 (lease 41)".
func By(op *history.Op) string {
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

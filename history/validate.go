package history

import (
	"errors"
	"fmt"
)

// A Validator checks the rules of a history entry by entry: times do not decrease, every completion
// has its invocation, a process has one operation at a time and none after an unknown outcome or
// its crash, and no entry follows the End.
type Validator struct {
	last  int64
	procs map[int]*procState
	// granted holds the numbers of all leases granted and of all runs of jobs begun.
	granted leaseSet
	// faults maps the number of a fault to whether it is in effect.
	faults map[int]bool
	ended  bool
}

// A procState is the state of one process: the operation under way, if any.
type procState struct {
	pending bool
	f       F
	lock    string
	// dead names the event after which the process may not act, or is "".
	dead string
}

// NewValidator returns a validator before the first entry.
func NewValidator() *Validator {
	return &Validator{
		procs: make(map[int]*procState), granted: make(leaseSet), faults: make(map[int]bool),
	}
}

// Validate checks a whole history. The error names the entry, counted from 1.
func Validate(h History) error {
	v := NewValidator()
	for i := range h {
		if err := v.Add(&h[i]); err != nil {
			return fmt.Errorf("history: entry %d: %w", i+1, err)
		}
	}
	return nil
}

// Add checks the next entry.
func (v *Validator) Add(op *Op) error {
	if v.ended {
		return fmt.Errorf("%s after the end of the run", op.F)
	}
	if op.Time < v.last {
		return fmt.Errorf("time goes back from %d to %d", v.last, op.Time)
	}
	v.last = op.Time
	if err := checkFields(op); err != nil {
		return err
	}
	switch op.F {
	case Fault, Heal:
		return v.fault(op)
	case Job:
		return v.job(op)
	case Probe, Stall, End:
		if op.Process != Harness {
			return fmt.Errorf("%s of process %d, must be %d", op.F, op.Process, Harness)
		}
		v.ended = op.F == End
		return nil
	}
	// The harness itself writes the initial state of a store.
	if op.Process < 0 && !(op.Process == Harness && (op.F == Read || op.F == Write)) {
		return fmt.Errorf("%s of process %d, must not be negative", op.F, op.Process)
	}
	p := v.procs[op.Process]
	if p == nil {
		p = &procState{}
		v.procs[op.Process] = p
	}
	switch {
	case op.F == Crash:
		p.dead = "its crash"
		return nil
	case op.F == Lost:
		return v.named(op)
	case op.Type == Invoke:
		return v.invoke(p, op)
	}
	return v.complete(p, op)
}

// checkFields checks the rules that concern a single entry.
func checkFields(op *Op) error {
	switch op.Type {
	case Invoke, OK, Fail, Info:
	default:
		return fmt.Errorf("unknown type %q", op.Type)
	}
	switch op.F {
	case Acquire, Try, Renew, Release, Upgrade, Downgrade, Ask, Observe, Read, Write, CAS, SetCount, CountDown, Await:
	case Fault: // fail: the fault found no victim
		if op.Type != Info && op.Type != Fail {
			return fmt.Errorf("fault must be %q or %q, not %q", Info, Fail, op.Type)
		}
	case Lost, Crash, Probe, Stall, Heal, Job, End:
		if op.Type != Info {
			return fmt.Errorf("%s is an event, its type must be %q, not %q", op.F, Info, op.Type)
		}
	default:
		return fmt.Errorf("unknown f %q", op.F)
	}
	switch op.Refused {
	case "", ByClient, ByServer, ByStore, ByTime:
	default:
		return fmt.Errorf("refused by unknown %q", op.Refused)
	}
	if op.Store != "" && op.Store != Plain && op.Store != Fenced {
		return fmt.Errorf("unknown store %q", op.Store)
	}
	if op.ForRecord && op.F != Ask {
		return fmt.Errorf("%s for the record, only an %s can be", op.F, Ask)
	}
	if op.Sum != "" && op.F != End {
		return fmt.Errorf("%s with a checksum, only an %s has one", op.F, End)
	}
	if err := checkMode(op); err != nil {
		return err
	}
	if err := checkHolds(op); err != nil {
		return err
	}
	if op.Client < 0 || op.Lease < 0 || op.Apply < 0 || op.Fault < 0 {
		return errors.New("client, lease, apply and fault must not be negative")
	}
	if op.F == Ask && op.UntilMin > op.UntilMax {
		return fmt.Errorf("until_min %d after until_max %d", op.UntilMin, op.UntilMax)
	}
	if op.Traits != nil {
		if op.F != Fault && op.F != Heal {
			return fmt.Errorf("%s with the traits of a fault", op.F)
		}
		return op.Traits.check()
	}
	if op.F == Probe && (op.UntilMin < 0 || op.UntilMin > op.Time) {
		return fmt.Errorf("probe from %d to %d", op.UntilMin, op.Time)
	}
	if op.F == Stall && (op.UntilMin < 0 || op.UntilMin > op.Time) {
		return fmt.Errorf("stall from %d to %d", op.UntilMin, op.Time)
	}
	return nil
}

// fault checks that every fault strikes at most once and ends after it struck. A fault that found
// no victim has no heal.
func (v *Validator) fault(op *Op) error {
	switch {
	case op.Process != Nemesis:
		return fmt.Errorf("%s of process %d, must be %d", op.F, op.Process, Nemesis)
	case op.Fault < 1:
		return fmt.Errorf("%s without its number", op.F)
	case op.F == Fault && op.Key == "":
		return errors.New("fault without its kind in key")
	case op.Type == Fail:
		return nil
	case op.F == Fault && v.faults[op.Fault]:
		return fmt.Errorf("fault %d struck twice", op.Fault)
	case op.F == Heal && !v.faults[op.Fault]:
		return fmt.Errorf("heal of fault %d, which is not in place", op.Fault)
	}
	v.faults[op.Fault] = op.F == Fault
	return nil
}

// invoke checks that the process may start an operation.
func (v *Validator) invoke(p *procState, op *Op) error {
	if p.dead != "" {
		return fmt.Errorf("process %d invokes %s after %s", op.Process, op.F, p.dead)
	}
	if p.pending {
		return fmt.Errorf("process %d invokes %s while its %s is under way", op.Process, op.F, p.f)
	}
	p.pending, p.f, p.lock = true, op.F, op.Lock
	return v.named(op)
}

// complete checks that the process has invoked this operation. After an unknown outcome the process
// may not act, because the operation may still take effect.
func (v *Validator) complete(p *procState, op *Op) error {
	switch {
	case !p.pending:
		return fmt.Errorf("process %d completes %s, which it has not invoked", op.Process, op.F)
	case p.f != op.F:
		return fmt.Errorf("process %d completes %s while its %s is under way", op.Process, op.F, p.f)
	case op.Lock != "" && p.lock != "" && op.Lock != p.lock:
		return fmt.Errorf("process %d completes %s of %q, which it invoked for %q", op.Process, op.F, op.Lock, p.lock)
	}
	p.pending = false
	if op.Type == Info {
		p.dead = fmt.Sprintf("its %s of unknown outcome", op.F)
	}
	if op.Type == OK && (op.F == Acquire || op.F == Try) {
		return v.grant(op)
	}
	return v.named(op)
}

// grant checks that a lease is granted once.
func (v *Validator) grant(op *Op) error {
	if op.Lease < 1 {
		return errors.New("grant without a lease number")
	}
	if v.granted.has(op.Lease) {
		return fmt.Errorf("lease %d granted twice", op.Lease)
	}
	v.granted.add(op.Lease)
	return nil
}

// named checks that the lease named by an operation was granted before.
func (v *Validator) named(op *Op) error {
	if op.Lease != 0 && !v.granted.has(op.Lease) {
		return fmt.Errorf("%s under lease %d, which was not granted", op.F, op.Lease)
	}
	return nil
}

// A leaseSet is a set of lease numbers. It stores one bit per number in pages of 4096, because
// numbers are dense and a long run has millions.
type leaseSet map[int64]*[64]uint64

// has reports whether the set contains n.
func (s leaseSet) has(n int64) bool {
	page := s[n>>12]
	return page != nil && page[n>>6&63]&(1<<(n&63)) != 0
}

// add adds n to the set, and its page if the page is missing.
func (s leaseSet) add(n int64) {
	page := s[n>>12]
	if page == nil {
		page = new([64]uint64)
		s[n>>12] = page
	}
	page[n>>6&63] |= 1 << (n & 63)
}

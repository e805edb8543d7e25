package history

import (
	"errors"
	"fmt"
)

// The observed steps of a job (Op.Mode of a Job). Op.Lock names the job,
// Op.Lease numbers its run.
const (
	JobBegin  = "begin"  // the replica has entered its run
	JobTry    = "try"    // the replica starts an effect, whose outcome is not known yet
	JobEffect = "effect" // the effect was done or refused
	JobLost   = "lost"   // the request of the effect was lost on its way, so the effect is never done; UntilMin is the time of its try
	JobEnd    = "end"    // the replica leaves its run
	JobAsked  = "asked"  // the job is requested for this key
	JobOver   = "over"   // no more requests follow
	JobKept   = "kept"   // the effect of this key is still there in the end; without a key: all were named
	JobAround = "around" // the replica has a connection to the server Key that bypasses its links
)

// BySpan is the way of a run that was observed as a tracing span. Both its entries arrive after the
// span has ended, and their UntilMax is a time of the replica's own wall clock. UntilMin is the
// start of the replica's process.
const BySpan = "span"

// Way returns the source of an observation of a job: event, line, span or the name of a server.
func (op *Op) Way() string { return op.Value }

// checkJob checks the fields of an entry about a job. Begin, try, effect, lost and end must name a
// replica and its run, because the checker groups them by run.
func checkJob(op *Op) error {
	switch op.Mode {
	case JobBegin, JobTry, JobEffect, JobLost, JobEnd:
		if op.Process < 0 || op.Client < 1 || op.Lease < 1 {
			return fmt.Errorf("%s of a job without a replica and its run", op.Mode)
		}
	case JobAround:
		if op.Process < 0 || op.Client < 1 || op.Lease != 0 || op.Key == "" {
			return errors.New("a bypassing connection without its replica and its server")
		}
	case JobAsked, JobOver, JobKept:
		if op.Process != Harness || op.Lease != 0 {
			return fmt.Errorf("%s of process %d, must be %d and of no run", op.Mode, op.Process, Harness)
		}
	default:
		return fmt.Errorf("unknown mode %q of a job", op.Mode)
	}
	switch {
	case op.Lock == "" && op.Mode != JobOver && op.Mode != JobAround:
		return errors.New("job without its name in lock")
	case op.Refused != "" && (op.Mode != JobEffect || op.Refused != ByStore):
		return fmt.Errorf("%s of a job refused by %q", op.Mode, op.Refused)
	case op.UntilMin < 0 || op.UntilMin > op.Time:
		return fmt.Errorf("%s of a job from %d to %d", op.Mode, op.UntilMin, op.Time)
	}
	return nil
}

// job checks that every run begins at most once. Runs and leases share one number space.
func (v *Validator) job(op *Op) error {
	if op.Mode != JobBegin {
		return nil
	}
	if v.granted.has(op.Lease) {
		return fmt.Errorf("run %d begins twice", op.Lease)
	}
	v.granted.add(op.Lease)
	return nil
}

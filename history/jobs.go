package history

import (
	"errors"
	"fmt"
)

// What was seen of a job (Op.Mode of a Job). The job is Op.Lock, the run of it Op.Lease.
const (
	JobBegin  = "begin"  // the replica is inside its run
	JobTry    = "try"    // it begins an effect, whose outcome is not known yet
	JobEffect = "effect" // the effect is done, or refused
	JobEnd    = "end"    // it leaves its run
	JobAsked  = "asked"  // somebody wants the job done for this key
	JobOver   = "over"   // nothing more is asked for
	JobAround = "around" // the replica has a connection to the server Key past its links
)

// BySpan is the way of a run that was seen by a span: both its entries come once it is over, and their
// UntilMax is the stamp of the replica's own wall clock. UntilMin is when its process was started.
const BySpan = "span"

// Way returns how something was seen of a job: event, line, span, the name of a server.
func (op *Op) Way() string { return op.Value }

// checkJob checks an entry about a job.
func checkJob(op *Op) error {
	switch op.Mode {
	case JobBegin, JobTry, JobEffect, JobEnd:
		if op.Process < 0 || op.Client < 1 || op.Lease < 1 {
			return fmt.Errorf("%s of a job without a replica and its run", op.Mode)
		}
	case JobAround:
		if op.Process < 0 || op.Client < 1 || op.Lease != 0 || op.Key == "" {
			return errors.New("a connection past the links without its replica and its server")
		}
	case JobAsked, JobOver:
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

// job checks that each run begins once.
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

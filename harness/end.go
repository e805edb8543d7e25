package harness

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"locktorture/history"
	"locktorture/locks/driver"
)

// An Early is the reason for ending a run early and in order, such as "history limit". It is set as
// the cause of the run's context, and the last entry of the history carries it.
type Early string

// Error implements error.
func (e Early) Error() string { return string(e) }

// early returns the reason for ending the run with this context early; "" if ctx has not ended.
func early(ctx context.Context) Early {
	var why Early
	switch {
	case ctx.Err() == nil:
		return ""
	case errors.As(context.Cause(ctx), &why):
		return why
	}
	return history.Interrupted
}

// recordEnd writes the last entry. A history without it belongs to a run that was killed, and shows
// violations only up to that point.
func (r *Run) recordEnd(cut Early) {
	op := history.Op{Process: history.Harness, Type: history.Info, F: history.End, Value: cmp.Or(string(cut), history.Complete)}
	r.mu.Lock()
	if r.failure != nil {
		op.Value, op.Error = history.Failed, strings.ReplaceAll(r.failure.Error(), "\n", "; ")
		if errors.As(r.failure, new(*driver.Error)) {
			op.Value = history.DriverFailed
			op.Error, _, _ = strings.Cut(r.failure.Error(), "\n") // the later lines hold the stderr of processes
		}
	}
	r.mu.Unlock()
	r.record(op)
}

package harness

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"locktorture/history"
	"locktorture/locks/driver"
)

// An Early is why a run is ended early and in order, as the cause of its context: "history
// limit". It stands in the end of the history.
type Early string

// Error implements error.
func (e Early) Error() string { return string(e) }

// early is why a run with that context ends before its time; "" if it does not.
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

// recordEnd writes the last entry. A history without it is one of a run that was killed, and
// can show no more than what was violated until then.
func (r *Run) recordEnd(cut Early) {
	op := history.Op{Process: history.Harness, Type: history.Info, F: history.End, Value: cmp.Or(string(cut), history.Complete)}
	r.mu.Lock()
	if r.failure != nil {
		op.Value, op.Error = history.Failed, r.failure.Error()
		if errors.As(r.failure, new(*driver.Error)) {
			op.Value = history.DriverFailed
			op.Error, _, _ = strings.Cut(op.Error, "\n") // what follows is what it wrote
		}
	}
	r.mu.Unlock()
	r.record(op)
}

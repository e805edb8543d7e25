package matrix

import (
	"context"
	"time"

	"locktorture/internal/exit"
	"locktorture/report/scorecard"
)

// An Executor carries the tries of a matrix out somewhere. Its error says why it cannot go on,
// with an exit code; what became of a try is no error.
type Executor interface {
	// Execute takes tries from q, carries them out, some at a time, and ends each, until q is
	// empty with all of them ended, or ctx ends.
	Execute(ctx context.Context, q Queue) error
}

// A Queue has what is left of a plan. Its methods may be called from several goroutines.
type Queue interface {
	// Next takes the try that is to be carried out next. ok is false where there is none, or
	// none that the deadline of ctx leaves time for; one that ends may bring another.
	Next(ctx context.Context) (t scorecard.Try, ok bool)
	// Begin says that a try runs now.
	Begin(t scorecard.Try)
	// End keeps what a try came to. One that is still NotRun was cut off, and is kept nowhere.
	End(t scorecard.Try)
}

// A queue is the plan of a matrix to those who carry it out.
type queue struct{ m *Matrix }

// Next takes the next try, unless another seed or workload has shown that its backend cannot
// suffer the fault.
func (q *queue) Next(ctx context.Context) (scorecard.Try, bool) {
	for {
		t, ok := q.m.take(ctx)
		if !ok {
			return t, false
		}
		why, state := q.m.impossible(t)
		if state == "" {
			return t, true
		}
		t.State, t.Reason, t.Start, t.Exit = state, why, time.Now(), exit.BadUsage
		q.m.keep(t)
	}
}

func (q *queue) Begin(t scorecard.Try) { q.m.watch.begin(t) }

func (q *queue) End(t scorecard.Try) { q.m.keep(t) }

package play

import (
	"context"
	"errors"
	"fmt"

	"locktorture/internal/exit"
	"locktorture/locks/driver"
	"locktorture/scenarios"
	"locktorture/scenarios/record"
	"locktorture/trial"
)

// A Watch observes the plays of a case.
type Watch struct {
	Show   func(r Result) error // called for a completed play, before its reports are written
	Failed func(err error)      // called with the failure of the harness or of a driver
}

// All plays each case a number of times. It calls watch for each, the i-th. The error reports an
// interrupt; the table then has the plays before it.
func (p *Player) All(ctx context.Context, cases []Play, times int, watch func(i int, c Play) Watch) (table []record.Tally, err error) {
	for i, c := range cases {
		row, err := p.Repeat(ctx, c, times, watch(i, c))
		if row.Of > 0 || row.Skipped != "" {
			table = append(table, row)
		}
		if err != nil {
			return table, err
		}
	}
	return table, nil
}

// Repeat plays one case a number of times. A play that the harness could not execute counts as
// unexpected. The error reports an interrupt or an invalid setting.
func (p *Player) Repeat(ctx context.Context, c Play, times int, w Watch) (record.Tally, error) {
	row := record.Tally{Scenario: c.Name, Backend: c.Case.Backend, Variant: c.Case.Variant, Expected: c.Case.Outcome()}
	fail := func(err error) {
		row.Failed, row.Code = err.Error(), exit.Worse(row.Code, failureCode(err))
		w.Failed(err)
	}
	for range times {
		r, err := p.Once(ctx, c)
		switch {
		case errors.Is(err, ErrNotServed), errors.Is(err, scenarios.ErrCannot):
			row.Skipped = err.Error()
			return row, r.Write()
		case ctx.Err() != nil:
			return row, errors.Join(interrupted(r, err), r.Write())
		case refused(err):
			return row, err
		case err != nil: // the other plays are still executed
			row.Of++
			fail(fmt.Errorf("no verdict: %w", errors.Join(err, r.Write())))
			row.Differs = "the harness failed"
			if failureCode(err) == exit.Driver {
				row.Differs = "the driver failed"
			}
			row.Seen = "no verdict: " + row.Differs
			continue
		}
		row.Add(record.Play{
			Took: r.Took, Seen: r.Seen(), Measures: r.Played.Measures, Dir: r.Dir.Path, Missed: c.Case.Missed(r.Result), Differs: r.Differs,
		})
		if err := errors.Join(w.Show(r), r.Write()); err != nil {
			fail(err)
		}
	}
	return row, nil
}

// refused reports an invalid setting of the user, with which no play can be executed.
func refused(err error) bool {
	no := new(trial.RefusedError)
	return errors.As(err, &no) && no.Setting != ""
}

// failureCode returns the exit code for the failure of a play: of a user's program with the lock,
// or of the harness.
func failureCode(failure error) int {
	if errors.As(failure, new(*driver.Error)) {
		return exit.Driver
	}
	return exit.Harness
}

// interrupted describes the result of an interrupted play.
func interrupted(r Result, err error) error {
	switch {
	case r.Dir == nil:
		err = errors.New("interrupted before it began")
	case err == nil:
		err = fmt.Errorf("interrupted when it was over: %s: %s", r.Result.Sentence, r.Dir.Path)
	default:
		err = fmt.Errorf("interrupted; until then %s: %w", r.Result.Sentence, err)
	}
	return exit.With(exit.Interrupted, err)
}

package runs

import (
	"context"
	"errors"
	"fmt"

	"locktorture/internal/exit"
	"locktorture/locks/driver"
	"locktorture/registry"
	"locktorture/trial"
)

// FailureCode is the exit code of what failed.
func FailureCode(failure error) int {
	if errors.As(failure, new(*driver.Error)) {
		return exit.Driver
	}
	return exit.Harness
}

// Culprit is what failed.
func Culprit(failure error) string {
	if FailureCode(failure) == exit.Driver {
		return "the driver"
	}
	return "the harness"
}

// Explain is an error of a trial in the words of the command line, with its exit code.
func (s Run) Explain(ctx context.Context, err error) error {
	if no := new(trial.RefusedError); errors.As(err, &no) {
		err = refusal(no)
	}
	kept := new(trial.KeptError)
	began, code := errors.As(err, &kept), FailureCode(err)
	if err = exit.Coded(s.secrets().CleanError(err)); code == exit.Driver {
		err = exit.With(code, err)
	}
	if ctx.Err() != nil && !began {
		return exit.With(exit.Interrupted, fmt.Errorf("interrupted before the run began: %w", err))
	}
	return err
}

// refusal is the user's error that a setting has a value which is not possible.
func refusal(no *trial.RefusedError) error {
	if no.Setting == "" {
		return exit.Usage("%v", no)
	}
	return exit.Usage("--%v", no)
}

// UnknownName says that a flag's value names nothing, and what is nearest.
func UnknownName[V any](what, name string, known map[string]V) error {
	return exit.Usage("%v", registry.Unknown(what, name, known))
}

// Broken marks an error as the harness's own, exit code 4, unless a driver of the user's is to
// blame: exit code 5.
func Broken(err error) error { return exit.With(FailureCode(err), err) }

// BrokenAfter marks an error of showing what was found as the harness's own, unless it was
// interrupted.
func BrokenAfter(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return exit.With(exit.Interrupted, err)
	}
	return Broken(err)
}

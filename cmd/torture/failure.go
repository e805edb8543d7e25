package main

import (
	"context"
	"errors"
	"fmt"

	"locktorture/internal/exit"
	"locktorture/locks/driver"
	"locktorture/trial"
)

// failureCode is the exit code of what failed.
func failureCode(failure error) int {
	if errors.As(failure, new(*driver.Error)) {
		return exitDriver
	}
	return exitHarness
}

// culprit is what failed.
func culprit(failure error) string {
	if failureCode(failure) == exitDriver {
		return "the driver"
	}
	return "the harness"
}

// explain is an error of a trial in the words of the command line, with its exit code.
func (s run) explain(ctx context.Context, err error) error {
	if no := new(trial.RefusedError); errors.As(err, &no) {
		err = refusal(no)
	}
	kept := new(trial.KeptError)
	began, code := errors.As(err, &kept), failureCode(err)
	if err = exit.Coded(s.secrets().CleanError(err)); code == exitDriver {
		err = exit.With(code, err)
	}
	if ctx.Err() != nil && !began {
		return exit.With(exitInterrupted, fmt.Errorf("interrupted before the run began: %w", err))
	}
	return err
}

// refusal is the user's error that a setting has a value which is not possible.
func refusal(no *trial.RefusedError) error {
	if no.Setting == "" {
		return usage("%v", no)
	}
	return usage("--%v", no)
}

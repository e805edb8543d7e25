package main

import (
	"errors"
	"testing"

	"locktorture/internal/exit"
)

// A line that the ledger did not take is told, and is no wrong usage, whatever the measurement came to.
func TestAllSaid(t *testing.T) {
	t.Parallel()
	lost := errors.New("no line was written")
	for _, tt := range []struct {
		shown, noted error
		code         int
	}{
		{nil, nil, exit.OK},
		{exit.Silent(exit.Harness), nil, exit.Harness},
		{nil, lost, exit.Harness},
		{exit.Silent(exit.Harness), lost, exit.Harness},
		{exit.Silent(exit.Interrupted), lost, exit.Interrupted},
		{exit.With(exit.Driver, errors.New("driver")), lost, exit.Harness},
	} {
		err := allSaid(errors.Join(tt.shown, tt.noted))
		e := &exit.Error{Code: exit.OK}
		if errors.As(err, &e); e.Code != tt.code || (tt.noted != nil) != errors.Is(err, lost) || tt.noted != nil && e.Err == nil {
			t.Errorf("%v and %v: exit code %d, %v, want %d", tt.shown, tt.noted, e.Code, e.Err, tt.code)
		}
	}
}

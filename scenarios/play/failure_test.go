package play

import (
	"errors"
	"fmt"
	"testing"

	"locktorture/internal/exit"
	"locktorture/locks/driver"
)

// A play that a program of the user's kept from its end is not a failure of the harness.
func TestFailureCode(t *testing.T) {
	fell := fmt.Errorf("client 2: %w", &driver.Error{Err: errors.New("exit status 9")})
	for _, c := range []struct {
		name    string
		failure error
		code    int
	}{
		{"a driver", fell, exit.Driver},
		{"a driver, in a run directory that is kept", exit.Coded(errors.Join(errors.New("kept"), fell)), exit.Driver},
		{"anything else", errors.New("no room left"), exit.Harness},
	} {
		if got := failureCode(c.failure); got != c.code {
			t.Errorf("%s: exit code %d, want %d", c.name, got, c.code)
		}
	}
}

package testenv

import (
	"errors"
	"runtime"
	"testing"
	"time"
)

// A try that fails is made again on a busy machine, and only there.
func TestAgain(t *testing.T) {
	wrong := errors.New("wrong")
	for name, tt := range map[string]struct {
		busy, fails int // so many tries
		want        int
		err         error
	}{
		"a quiet machine":            {0, 1, 1, wrong},
		"a busy machine":             {1, 1, 2, nil},
		"a pass on a busy machine":   {1, 0, 1, nil},
		"a defect on a busy machine": {9, 9, Tries, wrong},
		"a defect that shows later":  {1, 9, 2, wrong},
	} {
		n := 0
		err := again(t, func() func() string {
			return func() string {
				if n <= tt.busy {
					return "it is busy"
				}
				return ""
			}
		}, func(int) error {
			if n++; n <= tt.fails {
				return wrong
			}
			return nil
		})
		if n != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("%s: %v after %d tries, want %v after %d", name, err, n, tt.err, tt.want)
		}
	}
}

// A machine is busy if it keeps threads waiting.
func TestWhyBusy(t *testing.T) {
	all := runtime.NumCPU()
	for name, tt := range map[string]struct {
		worst          time.Duration
		running, looks int
		busy           bool
	}{
		"no look":            {0, 0, 0, false},
		"all processors":     {late - 1, 10 * all, 10, false},
		"more threads":       {0, 10*all + 1, 10, true},
		"a look that waited": {late, 0, 10, true},
	} {
		if why := whyBusy(tt.worst, tt.running, tt.looks); (why != "") != tt.busy {
			t.Errorf("%s: %q", name, why)
		}
	}
	busy := Watch() // on this machine, whatever it does now
	_ = busy()
}

package locktest

import (
	"context"
	"errors"
	"testing"
	"time"
)

// A check that fails is made again while the machine stalls, and only then.
func TestAgain(t *testing.T) {
	wrong := errors.New("granted twice")
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for name, tt := range map[string]struct {
		ctx         context.Context
		late        []time.Duration // in each try; 0 in further ones
		fails, want int             // of the tries
		err         error
	}{
		"a quiet machine":            {t.Context(), nil, 1, 1, wrong},
		"a busy machine":             {t.Context(), []time.Duration{stall}, 1, 2, nil},
		"a pass on a busy machine":   {t.Context(), []time.Duration{stall}, 0, 1, nil},
		"a defect on a busy machine": {t.Context(), []time.Duration{stall, stall, stall, stall, stall}, 9, tries, wrong},
		"a defect that shows later":  {t.Context(), []time.Duration{stall}, 9, 2, wrong},
		"no time is left":            {over, []time.Duration{stall}, 9, 1, wrong},
	} {
		n := 0
		watch := func() func() time.Duration {
			late := append(tt.late, make([]time.Duration, tries)...)[n]
			return func() time.Duration { return late }
		}
		err := again(tt.ctx, watch, func() error {
			if n++; n <= tt.fails {
				return wrong
			}
			return nil
		})
		if n != tt.want || err != tt.err {
			t.Errorf("%s: %d tries, %v; want %d, %v", name, n, err, tt.want, tt.err)
		}
	}
}

// The longest stall is found, and the watch ends.
func TestStalls(t *testing.T) {
	worst := stalls()
	time.Sleep(4 * tick)
	if late := worst(); late < 0 || late > time.Minute {
		t.Errorf("late by %s", late)
	}
}

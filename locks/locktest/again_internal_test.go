package locktest

import (
	"context"
	"errors"
	"testing"
	"time"

	"locktorture/locks"
)

// A check that fails is made again while the machine stalls or the servers do not answer, and only then.
func TestAgain(t *testing.T) {
	wrong := errors.New("granted twice")
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for name, tt := range map[string]struct {
		ctx         context.Context
		late        []time.Duration // in each try; 0 in further ones
		away        int             // the tries after which the servers did not answer
		fails, want int             // of the tries
		err         error
	}{
		"a quiet machine":            {t.Context(), nil, 0, 1, 1, wrong},
		"servers without a leader":   {t.Context(), nil, 1, 1, 2, nil},
		"a defect beside them":       {t.Context(), nil, 1, 9, 2, wrong},
		"a busy machine":             {t.Context(), []time.Duration{stall}, 0, 1, 2, nil},
		"a pass on a busy machine":   {t.Context(), []time.Duration{stall}, 0, 0, 1, nil},
		"a defect on a busy machine": {t.Context(), []time.Duration{stall, stall, stall, stall, stall}, 0, 9, tries, wrong},
		"a defect that shows later":  {t.Context(), []time.Duration{stall}, 0, 9, 2, wrong},
		"no time is left":            {over, []time.Duration{stall}, 0, 9, 1, wrong},
	} {
		n := 0
		watch := func() func() time.Duration {
			late := append(tt.late, make([]time.Duration, tries)...)[n]
			return func() time.Duration { return late }
		}
		err := again(tt.ctx, watch, func() bool { return n <= tt.away }, func() error {
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

// A look that fails is repeated until a quorum of the servers answers.
func TestAway(t *testing.T) {
	for name, tt := range map[string]struct {
		prober locks.Prober
		want   bool
	}{
		"nobody can look":      {nil, false},
		"all answer":           {&silentFirst{}, false},
		"too few answer twice": {&silentFirst{silent: 2}, true},
	} {
		if got := (Suite{Prober: tt.prober, Quorum: 2}).away(t.Context()); got != tt.want {
			t.Errorf("%s: %t, want %t", name, got, tt.want)
		}
	}
}

// A silentFirst is a prober of three nodes, of which one answers the first looks.
type silentFirst struct{ silent int }

func (p *silentFirst) Probe(context.Context, string) ([]locks.Sight, error) {
	if p.silent--; p.silent >= 0 {
		return make([]locks.Sight, 1), nil
	}
	return make([]locks.Sight, 3), nil
}

func (p *silentFirst) Close() error { return nil }

package checker_test

import (
	"testing"

	"locktorture/history"
)

// TestLossEndsTheLease: a holder that was told of its loss holds the lock no longer, in the
// model neither.
func TestLossEndsTheLease(t *testing.T) {
	o := watched
	o.Model = "mutex"
	run(t, []row{
		{"granted to another after the loss was told", o, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 0).lost(1, 1000).grant(2, 2, 500, 1500, 0)
		}, nil},
		{"and nothing was told", o, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 0).grant(2, 2, 500, 1500, 0).until(3000)
		}, map[string]int{"late-notice": 1, "nonlinearizable": 1}},
	})
}

// TestUsualTrip: how long a notice may take is told by the releases that nobody was stopped
// in.
func TestUsualTrip(t *testing.T) {
	slow := func(b *build) *build { // the one release takes a second; c1 is told 80 ms late if that is no usual trip
		b.grant(3, 90, 0, 1, 0).release(90, 2, 1002, history.OK)
		return b.grant(1, 1, 1020, 1030, 0).grant(2, 2, 1100, 3500, 0).lost(1, 3600)
	}
	run(t, []row{
		{"nobody was stopped", watched, nil, func(b *build) { slow(b) }, nil},
		{"its client was stopped meanwhile", watched, nil, func(b *build) { slow(b).fault("pause", 1, 3, "c3", 100, 900) }, map[string]int{"late-notice": 1}},
		{"it was stopped just before", watched, nil, func(b *build) { slow(b).fault("pause", 1, 3, "c3", 1, 2) }, nil},
		{"it was stopped just after", watched, nil, func(b *build) { slow(b).fault("pause", 1, 3, "c3", 1002, 1010) }, nil},
		{"another was stopped", watched, nil, func(b *build) { slow(b).fault("pause", 1, 4, "c4", 100, 900) }, nil},
	})
}

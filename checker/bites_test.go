package checker_test

import (
	"strings"
	"testing"

	"locktorture/checker"
	"locktorture/history"
)

// TestBiteBorders: what makes a fault effective (FaultCoverage.Rule), on either side of each
// moment.
func TestBiteBorders(t *testing.T) {
	other := func(b *build, until int64) { b.try(2, 500, until, history.Fail, history.ByServer) }
	for _, tt := range []struct {
		name string
		opt  checker.Options
		make func(b *build)
		bit  int
	}{
		{"stopped at the moment of its grant", bounded, func(b *build) {
			b.grant(1, 1, 0, 100, 2000).fault("pause", 1, 1, "c1", 100, 2200)
			other(b, 2300)
		}, 1},
		{"stopped at the moment at which its release was over", bounded, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).release(1, 50, 100, history.OK).fault("pause", 1, 1, "c1", 100, 2200)
			other(b, 2300)
		}, 0},
		{"the other gave up at the moment at which the lease ended", bounded, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).fault("pause", 1, 1, "c1", 100, 2200)
			other(b, 2000)
		}, 0},
		{"the other gave up 1 ms later", bounded, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).fault("pause", 1, 1, "c1", 100, 2200)
			other(b, 2001)
		}, 1},
		{"a stopped server, while a lease was held", bounded, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).fault("pause", 1, 0, "n1", 100, 200).release(1, 300, 310, history.OK)
		}, 1},
		{"the crash of a kill is the nearest one, not that of the life before, which held the lock", mutex, func(b *build) {
			b.grant(1, 1, 0, 10, 0).crash(1, 1000).fault(killed, 1, 1, "c1", 2990, 3001).crash(1, 3000).try(2, 3100, 3200, history.Fail, history.ByServer)
		}, 0},
		{"nor that of a life after it", mutex, func(b *build) {
			b.crash(1, 990).fault(killed, 1, 1, "c1", 1000, 1001).grant(1, 1, 1100, 1110, 0).crash(1, 3000).try(2, 3100, 3200, history.Fail, history.ByServer)
		}, 0},
		{"the other's wait was over as the holder died", mutex, func(b *build) {
			b.grant(1, 1, 0, 10, 0).crash(1, 600).fault(killed, 1, 1, "c1", 601, 602)
			other(b, 600)
		}, 0},
		{"the other's wait was over 1 ms later", mutex, func(b *build) {
			b.grant(1, 1, 0, 10, 0).crash(1, 600).fault(killed, 1, 1, "c1", 601, 602)
			other(b, 601)
		}, 1},
		{"killed while it waited, and another waited on", mutex, func(b *build) {
			b.try(1, 20, 700, history.Info, "").fault(killed, 1, 1, "c1", 601, 602).crash(1, 600)
			other(b, 601)
		}, 1},
		{"killed while it waited, and nobody asked after that", mutex, func(b *build) {
			b.try(1, 20, 700, history.Info, "").fault(killed, 1, 1, "c1", 601, 602).crash(1, 600)
			other(b, 600)
		}, 0},
		{"stopped while it waited, and another waited on", bounded, func(b *build) {
			b.try(1, 20, 700, history.Info, "").fault("pause", 1, 1, "c1", 550, 602)
			other(b, 551)
		}, 1},
		{"stopped while it waited, and nobody else", bounded, func(b *build) {
			b.try(1, 20, 700, history.Info, "").fault("pause", 1, 1, "c1", 550, 602)
			other(b, 550)
		}, 0},
		{"called at the moment of the heal", bounded, func(b *build) {
			b.try(2, 200, 300, history.Info, "").fault("partition", 1, 2, "c2,n1", 100, 200)
		}, 1},
		{"called 1 ms after it", bounded, func(b *build) {
			b.try(2, 201, 300, history.Info, "").fault("partition", 1, 2, "c2,n1", 100, 200)
		}, 0},
		{"answered at the moment of the fault", bounded, func(b *build) {
			b.try(2, 50, 100, history.Fail, history.ByServer).fault("partition", 1, 2, "c2,n1", 100, 200)
		}, 1},
		{"released at the moment of the fault", bounded, func(b *build) {
			b.grant(2, 1, 0, 10, 2000).release(1, 50, 100, history.OK).fault("partition", 1, 2, "c2,n1", 100, 200)
		}, 1},
		{"released 1 ms before it", bounded, func(b *build) {
			b.grant(2, 1, 0, 10, 2000).release(1, 50, 99, history.OK).fault("partition", 1, 2, "c2,n1", 100, 200)
		}, 0},
		{"the client that was cut off called after another", bounded, func(b *build) {
			b.try(1, 40, 300, history.Info, "").try(2, 50, 300, history.Info, "").fault("partition", 1, 2, "c2,n1", 100, 200)
		}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBuild()
			tt.make(b)
			r := checker.Check(b.history(t), tt.opt, nil)
			if len(r.Faults) != 1 || r.Faults[0].Injected != 1 || r.Faults[0].Bit != tt.bit {
				t.Errorf("%+v, want %d bit", r.Faults, tt.bit)
			}
			if waiting := r.Faults[0].Waiting > 0; waiting != strings.Contains(tt.name, "while it waited") {
				t.Errorf("%s: counted as a strike at a waiter: %t", tt.name, waiting)
			}
			if r.Counts.Faults != 1 || r.Counts.Bites != tt.bit {
				t.Errorf("%d of %d faults bit in all, want %d of 1", r.Counts.Bites, r.Counts.Faults, tt.bit)
			}
		})
	}
}

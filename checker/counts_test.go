package checker_test

import (
	"testing"

	"locktorture/checker"
	"locktorture/history"
)

// TestCounts: what is counted of a run, which began when its first entry did.
func TestCounts(t *testing.T) {
	b := newBuild().fault("pause", 1, 3, "c3", 1000, 1100) // no operations, and no processes
	b.grant(1, 1, 1010, 1020, 3000).release(1, 1030, 1040, history.OK)
	b.refused(2, 1050, 1060).refused(2, 1061, 1062).refused(2, 1063, 1064).try(2, 1065, 1066, history.Fail, history.ByServer).try(2, 1070, 1080, history.Fail, history.ByServer).release(1, 1090, 1100, history.Fail)
	b.grant(2, 2, 1130, 1140, 3100).release(2, 1150, 1160, history.Info)
	b.crash(2, 1200).until(4000)
	got := checker.Check(b.history(t), bounded, nil).Counts
	want := checker.Counts{Ops: 12, Grants: 2, Refused: 5, Unknown: 1, Crashes: 1, Processes: 2, Faults: 1, Duration: 3000 * ms}
	got.Anomalies = nil
	if got.Ops != want.Ops || got.Grants != want.Grants || got.Refused != want.Refused || got.Unknown != want.Unknown ||
		got.Crashes != want.Crashes || got.Processes != want.Processes || got.Faults != want.Faults || got.Duration != want.Duration {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	if c := checker.Check(newBuild().history(t), bounded, nil).Counts; c.Duration != 0 || c.Ops != 0 {
		t.Errorf("an empty history: %+v", c)
	}
}

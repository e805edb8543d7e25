package session

import "testing"

// A rate below four in five comes with its reason.
func TestReason(t *testing.T) {
	seen, missed := Round{Faults: 1, Struck: 1, Anomalies: []string{"orphan"}}, Round{Faults: 1, Missed: []string{"fault 1 did not take effect: its point never came"}}
	unseen := Round{Faults: 1, Struck: 1}
	for _, c := range []struct {
		rounds []Round
		want   string
	}{
		{[]Round{seen, seen, seen, seen, unseen}, "seen in 4 of 5 rounds on real servers: confirmed (4 are needed)"},
		{[]Round{seen, missed, unseen, seen, missed}, "seen in 2 of 5 rounds on real servers: not confirmed (4 are needed); the anomaly is real, but the schedule does not lead to it reliably: " +
			"in 2 rounds fault 1 did not take effect: its point never came; in 1 round all faults took effect, but the events around them came too early or too late"},
		{[]Round{seen}, "seen in 1 of 1 rounds on real servers, of 5 that were planned: too few to judge"},
	} {
		got := &Rate{Rounds: 5, Need: 4}
		for _, r := range c.rounds {
			got.Add(r)
		}
		if got.Conclude(); got.Verdict != c.want {
			t.Errorf("%s\nwant %s", got.Verdict, c.want)
		}
	}
}

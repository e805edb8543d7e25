package timeline

import (
	"testing"

	"locktorture/history"
)

// TestWhenAsked: when a server was asked, and what a look allows.
func TestWhenAsked(t *testing.T) {
	look := func(began, until int64) *history.Op {
		op := &history.Op{F: history.Probe, Time: 5 * ProbeTakes, UntilMax: until}
		op.SetBegan(began)
		return op
	}
	said, silent := look(3*ProbeTakes, 9*ProbeTakes), look(0, 9*ProbeTakes)
	check(t, []border{
		{"it says", AskedAt(said), 3 * ProbeTakes}, {"it does not", AskedAt(silent), 4 * ProbeTakes},
		{"late by", LateBy(said), 2 * ProbeTakes}, {"not known", LateBy(silent), int64(0)},
		{"the earliest end", LeastExpiry(said), 7 * ProbeTakes}, {"as it shows", LeastExpiry(silent), 9 * ProbeTakes},
		{"none", LeastExpiry(look(3*ProbeTakes, history.Never)), int64(history.Never)},
	})
}

// TestLongestStop: stops of clients count, to the end of the history at most; those of servers
// and kills do not.
func TestLongestStop(t *testing.T) {
	longest := func(effect history.Effect, client int, from, to int64) int64 {
		v := emptyFold(t, Options{})
		v.End = 1000
		v.Faults = []*Fault{{Op: &history.Op{Client: client}, Traits: history.FaultTraits{Effect: effect}, From: from, To: to}}
		return v.LongestStop()
	}
	check(t, []border{
		{"a client", longest(history.Stopped, 1, 100, 300), int64(200)}, {"to the end", longest(history.Stopped, 1, 900, 2000), int64(100)},
		{"a server", longest(history.Stopped, 0, 100, 300), int64(0)}, {"killed", longest(history.Killed, 1, 100, 300), int64(0)},
	})
}

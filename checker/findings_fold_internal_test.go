package checker

import (
	"locktorture/history"
	"testing"
)

// TestWhenAsked: when a server was asked, and what a look allows.
func TestWhenAsked(t *testing.T) {
	look := func(began, until int64) *history.Op {
		op := &history.Op{F: history.Probe, Time: 5 * probeTakes, UntilMax: until}
		op.SetBegan(began)
		return op
	}
	said, silent := look(3*probeTakes, 9*probeTakes), look(0, 9*probeTakes)
	check(t, []border{
		{"it says", askedAt(said), 3 * probeTakes}, {"it does not", askedAt(silent), 4 * probeTakes},
		{"late by", lateBy(said), 2 * probeTakes}, {"not known", lateBy(silent), int64(0)},
		{"the earliest end", leastExpiry(said), 7 * probeTakes}, {"as it shows", leastExpiry(silent), 9 * probeTakes},
		{"none", leastExpiry(look(3*probeTakes, history.Never)), int64(history.Never)},
	})
}

// TestLongestStop: stops of clients count, to the end of the history at most; those of servers
// and kills do not.
func TestLongestStop(t *testing.T) {
	longest := func(effect history.Effect, client int, from, to int64) int64 {
		v := emptyFold(t, Options{})
		v.end = 1000
		v.faults = []*span{{fault: &history.Op{Client: client}, traits: history.FaultTraits{Effect: effect}, from: from, to: to}}
		return v.longestStop()
	}
	check(t, []border{
		{"a client", longest(history.Stopped, 1, 100, 300), int64(200)}, {"to the end", longest(history.Stopped, 1, 900, 2000), int64(100)},
		{"a server", longest(history.Stopped, 0, 100, 300), int64(0)}, {"killed", longest(history.Killed, 1, 100, 300), int64(0)},
	})
}

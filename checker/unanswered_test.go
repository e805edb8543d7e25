package checker_test

import (
	"testing"

	"locktorture/history"
)

// TestUnanswered: c1 released the lock at 21 ms. Calls that leave open whether it was granted
// prove a deadlock together, and so they do after a time that is too short; calls that never
// left their client prove nothing.
func TestUnanswered(t *testing.T) {
	vague := func(b *build, from int64) {
		for i := range int64(30) {
			b.try(2, from+i*1000, from+i*1000+990, history.Info, history.ByTime)
			b.process[2] = b.proc(2) + 100 // what is unknown ends a process
		}
	}
	released := func(b *build) *build { return b.grant(1, 1, 0, 10, 2000).release(1, 20, 21, history.OK) }
	dead := map[string]int{"deadlock": 1}
	run(t, []row{
		{"asked for in vain", bounded, nil, func(b *build) { vague(released(b), 30) }, dead},
		{"asked for in vain after a fault", bounded, nil, func(b *build) { vague(released(b).fault("partition", 1, 0, "n1", 500, 600), 700) }, dead},
		{"never sent", bounded, nil, func(b *build) { released(b).try(2, 30, 30_000, history.Fail, history.ByClient) }, nil},
	})
}

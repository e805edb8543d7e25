package story

import (
	"fmt"
	"slices"

	"locktorture/history"
)

// expired notes when servers dropped the lock by themselves: at the end that the last look at
// it told, if it was seen to be gone or somebody else's afterwards, and its holder had not
// given it back.
func (t *teller) expired() {
	type place struct{ node, lock string }
	last := map[place]history.Op{}
	for _, op := range t.h {
		if op.F != history.Probe || !slices.Contains(t.locks, op.Lock) || rehearsal(op) {
			continue
		}
		at := place{op.Node, op.Lock}
		before := last[at]
		last[at] = op
		end := before.Expiry()
		if before.Owner() == "" || before.Owner() == op.Owner() || end <= 0 || end == history.Never || end > op.Time {
			continue
		}
		g := t.leases.ofOwner(before.Owner(), before.Time)
		if g == nil || releasedBy(g, end) {
			continue
		}
		on := t.server(op.Node)
		t.ends = append(t.ends, validity{end, 0, on, fmt.Sprintf("the key of c%d's lease %d expires, as its last probe predicted", g.Client, g.Number)})
	}
}

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
		lease, holder := t.grantOf(before.Owner())
		if lease == 0 || t.releasedBy(lease, end) {
			continue
		}
		on := t.server(op.Node)
		t.ends = append(t.ends, validity{end, 0, on, fmt.Sprintf("the key of c%d's lease %d expires, as it told at the last look", holder, lease)})
	}
}

// grantOf returns the lease that was granted under an owner value, and to which client.
func (t *teller) grantOf(owner string) (lease int64, client int) {
	for _, op := range t.h {
		if op.Owner() == owner && op.Lease > 0 && op.Type == history.OK && (op.F == history.Acquire || op.F == history.Try) {
			return op.Lease, op.Client
		}
	}
	return 0, 0
}

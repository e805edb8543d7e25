package timeline

import "testing"

// TestLinkReentry: the next grant of a re-entry is another's, newer, and returned before it.
func TestLinkReentry(t *testing.T) {
	linked := func(process int, token uint64) bool {
		a, b, c := leased(1, 0, 900), leased(2, 100, 900), leased(1, 200, 900)
		a.Token, b.Token, c.Token, c.Since, b.Process = 5, token, 5, 0, process
		l := &Lock{Leases: []*Lease{a, b, c}}
		l.linkReentry(0, 2, []int{1, 2, 3})
		return c.Next != nil
	}
	check(t, []border{{"newer", linked(2, 6), true}, {"older", linked(2, 4), false}, {"its own", linked(1, 6), false}})
}

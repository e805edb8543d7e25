package checker

import "testing"

// TestLinkReentry: the next grant of a re-entry is another's, newer, and returned before it.
func TestLinkReentry(t *testing.T) {
	linked := func(process int, token uint64) bool {
		a, b, c := leased(1, 0, 900), leased(2, 100, 900), leased(1, 200, 900)
		a.token, b.token, c.token, c.since, b.process = 5, token, 5, 0, process
		l := &lockView{leases: []*lease{a, b, c}}
		l.linkReentry(0, 2, []int{1, 2, 3})
		return c.next != nil
	}
	check(t, []border{{"newer", linked(2, 6), true}, {"older", linked(2, 4), false}, {"its own", linked(1, 6), false}})
}

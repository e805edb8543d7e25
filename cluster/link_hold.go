package cluster

import "fmt"

// HoldAfter is like Hold, but the first n messages of that connection still pass. A message is one
// write of the sender. For a server that handles one request at a time, this is one answer.
func (l *Link) HoldAfter(d Direction, n int) error {
	v := map[Direction]*valve{Requests: l.requests, Replies: l.replies}[d]
	if v == nil || n < 0 {
		return fmt.Errorf("hold link: no direction %q, or %d messages", d, n)
	}
	v.change(func(s *state) { s.hold = &hold{pass: n} })
	return nil
}

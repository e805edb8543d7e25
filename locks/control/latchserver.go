package control

import (
	"slices"
	"strconv"
)

// A localLatch is the state of one latch. It is kept forever, so that a latecomer passes at once.
type localLatch struct {
	// count is the number of parties, and 0 until it is set.
	count   int
	parties map[string]bool
	waiting []*localWaiter
}

// open reports whether enough parties have counted down. A latch without a count is never open.
func (l *localLatch) open() bool { return l.count > 0 && len(l.parties) >= l.count }

// latch returns the latch of a name and creates it if necessary: a party may count down before the
// count is set.
func (s *LocalServer) latch(name string) *localLatch {
	l := s.latches[name]
	if l == nil {
		l = &localLatch{parties: map[string]bool{}}
		s.latches[name] = l
	}
	return l
}

// The caller of every method below holds the server's lock.

// meet carries out the requests of latches and barriers. It returns false for any other
// operation.
func (s *LocalServer) meet(c *localConn, op, id string, args []string) ([]message, bool) {
	switch {
	case op == "set-count" && len(args) == 2:
		n, err := strconv.Atoi(args[1])
		if err != nil || n < 1 {
			return nil, false
		}
		if l := s.latch(args[0]); l.count == 0 {
			l.count = n
		}
		return append(s.opened(args[0]), message{c, id + " set"}), true
	case op == "count-down" && len(args) == 2:
		s.latch(args[0]).parties[args[1]] = true
		return append(s.opened(args[0]), message{c, id + " counted"}), true
	case op == "await" && len(args) == 1:
		l := s.latch(args[0])
		l.waiting = append(l.waiting, &localWaiter{conn: c, id: id})
		return s.opened(args[0]), true
	case op == "enter" && len(args) == 2:
		n, err := strconv.Atoi(args[1])
		return s.enter(&localWaiter{conn: c, id: id, name: args[0]}, n), err == nil && n > 0
	case op == "leave" && len(args) == 1:
		token, err := strconv.ParseUint(args[0], 10, 64)
		return s.leave(c, id, token), err == nil
	}
	return nil, false
}

// opened returns the answers to all waiters of a latch if it is open.
func (s *LocalServer) opened(name string) (out []message) {
	l := s.latch(name)
	if !l.open() {
		return nil
	}
	for _, w := range l.waiting {
		out = append(out, message{w.conn, w.id + " passed"})
	}
	l.waiting = nil
	return out
}

// cancelMeeting removes a waiting request from a latch or a barrier.
func (s *LocalServer) cancelMeeting(c *localConn, id string) []message {
	found := false
	mine := func(w *localWaiter) bool {
		is := w.conn == c && w.id == id
		found = found || is
		return is
	}
	for _, l := range s.latches {
		l.waiting = slices.DeleteFunc(l.waiting, mine)
	}
	for name, list := range s.coming {
		s.coming[name] = slices.DeleteFunc(list, mine)
	}
	if !found {
		return nil
	}
	return []message{{c, id + " refused"}}
}

// dropMeetings removes a connection from all latches and barriers.
func (s *LocalServer) dropMeetings(c *localConn) (out []message) {
	mine := func(w *localWaiter) bool { return w.conn == c }
	for _, l := range s.latches {
		l.waiting = slices.DeleteFunc(l.waiting, mine)
	}
	for name, list := range s.coming {
		s.coming[name] = slices.DeleteFunc(list, mine)
	}
	for token, p := range s.inside {
		if p.conn == c {
			out = append(out, s.gone(token, p)...)
		}
	}
	return out
}

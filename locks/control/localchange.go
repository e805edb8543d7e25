package control

import "slices"

// A localChange is a reader that waits to become the writer.
type localChange struct {
	hold *localHold
	id   string // id of its request
}

// The caller of every method below holds the server's lock.

// upgrade makes a reader the writer once there is no other reader. It refuses a second upgrade
// while one waits, because each would wait for the other to leave.
func (s *LocalServer) upgrade(c *localConn, id, name string, token uint64) []message {
	l, h := s.held(c, name, token)
	switch {
	case h == nil:
		return []message{{c, id + " not-held"}}
	case h.permits > 0 || l.change != nil:
		return []message{{c, id + " refused"}}
	}
	l.change = &localChange{h, id}
	return l.changed()
}

// changed makes the waiting reader the writer if it is the only reader left.
func (l *localLock) changed() []message {
	u := l.change
	if u == nil || len(l.holders) != 1 || l.holders[0] != u.hold {
		return nil
	}
	l.change, u.hold.shared = nil, false
	return []message{{u.hold.conn, u.id + " upgraded"}}
}

// downgrade makes a writer a reader, and grants the waiters that may hold the lock beside it.
func (s *LocalServer) downgrade(c *localConn, id, name string, token uint64) []message {
	l, h := s.held(c, name, token)
	switch {
	case h == nil:
		return []message{{c, id + " not-held"}}
	case h.permits > 0:
		return []message{{c, id + " refused"}}
	}
	h.shared = true
	return append(s.next(name, l), message{c, id + " downgraded"})
}

// held returns the lock of a name, and the hold that a connection has on it under a token, or nil.
func (s *LocalServer) held(c *localConn, name string, token uint64) (*localLock, *localHold) {
	l := s.locks[name]
	if l == nil {
		return nil, nil
	}
	i := slices.IndexFunc(l.holders, func(h *localHold) bool { return h.conn == c && h.token == token })
	if i < 0 {
		return l, nil
	}
	return l, l.holders[i]
}

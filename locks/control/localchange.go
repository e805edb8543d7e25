package control

import "slices"

// A localChange is a reader that waits to become the writer.
type localChange struct {
	hold *localHold
	id   string // of its request
}

// What follows runs with the server's state locked.

// upgrade makes a reader the writer, when there is no other reader. One that comes while
// another waits is refused: neither would let go.
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

// changed lets the reader that waits become the writer, if it is alone by now.
func (l *localLock) changed() []message {
	u := l.change
	if u == nil || len(l.holders) != 1 || l.holders[0] != u.hold {
		return nil
	}
	l.change, u.hold.shared = nil, false
	return []message{{u.hold.conn, u.id + " upgraded"}}
}

// downgrade makes a writer a reader, and lets in whoever can be beside it.
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

// held is what a connection holds of a name under a token; nil for nothing.
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

package control

import (
	"fmt"
	"slices"
)

// A localLock is the state of one name: a lock, a read–write lock or a semaphore, depending on
// the requests.
type localLock struct {
	holders []*localHold
	// change is the reader that waits to become the writer, or nil.
	change *localChange
	queue  []*localWaiter
}

// A localHold is a grant to a client.
type localHold struct {
	*localWaiter
	token uint64
	// depth is the number of entries of a sole holder.
	depth int
}

// A localWaiter is a request for a lock, waiting or granted.
type localWaiter struct {
	conn  *localConn
	id    string
	name  string
	owner string
	localClaim
}

// A localClaim is the part of a lock that a request asks for. The zero value stands for the whole
// lock.
type localClaim struct {
	shared, campaign  bool
	permits, capacity int
}

// admits reports whether the claim can be granted beside the present holds.
func (l *localLock) admits(c localClaim) bool {
	out := 0
	if l.change != nil {
		return false // new readers would keep the upgrade waiting
	}
	for _, h := range l.holders {
		if !(c.shared && h.shared) && !(c.permits > 0 && h.permits > 0) {
			return false
		}
		out += h.permits
	}
	return c.permits == 0 || out+c.permits <= c.capacity
}

// of returns the hold of a connection that holds the whole lock, or nil.
func (l *localLock) of(c *localConn) *localHold {
	if len(l.holders) == 1 && l.holders[0].conn == c && l.holders[0].localClaim == (localClaim{}) {
		return l.holders[0]
	}
	return nil
}

// The caller of every method below holds the server's lock.

// acquire grants a request at once if the queue is empty and the present holds admit it, or if the
// client re-enters its own lock. Any other request joins the queue if wait is set, and is refused
// otherwise.
func (s *LocalServer) acquire(w *localWaiter, wait bool) []message {
	l := s.locks[w.name]
	if l == nil {
		l = &localLock{}
		s.locks[w.name] = l
	}
	switch h := l.of(w.conn); {
	case len(l.queue) == 0 && l.admits(w.localClaim):
		return []message{s.grant(l, w)}
	case h != nil && w.localClaim == h.localClaim:
		h.depth++
		return []message{{w.conn, fmt.Sprintf("%s granted %d %s", w.id, h.token, h.owner)}}
	case wait:
		l.queue = append(l.queue, w)
		return nil
	}
	return []message{{w.conn, w.id + " refused"}}
}

// grant adds a hold with the next token and returns the answer to the request. Tokens grow over all
// names of the server.
func (s *LocalServer) grant(l *localLock, w *localWaiter) message {
	s.last++
	l.holders = append(l.holders, &localHold{localWaiter: w, token: s.last, depth: 1})
	return message{w.conn, fmt.Sprintf("%s granted %d", w.id, s.last)}
}

// next grants requests from the head of the queue as long as the present holds admit them. No
// request overtakes another.
func (s *LocalServer) next(name string, l *localLock) (out []message) {
	out = l.changed()
	for len(l.queue) > 0 && l.admits(l.queue[0].localClaim) {
		w := l.queue[0]
		l.queue = l.queue[1:]
		out = append(out, s.grant(l, w))
	}
	if len(l.holders) == 0 {
		delete(s.locks, name)
	}
	return out
}

// cancel removes a waiting request from its queue. A request that was granted stays granted.
func (s *LocalServer) cancel(c *localConn, id string) []message {
	for name, l := range s.locks {
		if u := l.change; u != nil && u.hold.conn == c && u.id == id {
			l.change = nil
			return append(s.next(name, l), message{c, id + " refused"})
		}
		i := slices.IndexFunc(l.queue, func(w *localWaiter) bool { return w.conn == c && w.id == id })
		if i >= 0 {
			l.queue = slices.Delete(l.queue, i, i+1)
			return append(s.next(name, l), message{c, id + " refused"})
		}
	}
	return s.cancelMeeting(c, id)
}

// release gives one entry back; after the last entry the lock is free.
func (s *LocalServer) release(c *localConn, id, name string, token uint64) []message {
	l := s.locks[name]
	i := -1
	if l != nil {
		i = slices.IndexFunc(l.holders, func(h *localHold) bool { return h.conn == c && h.token == token })
	}
	if i < 0 {
		return []message{{c, id + " not-held"}}
	}
	if l.holders[i].depth--; l.holders[i].depth > 0 {
		return []message{{c, id + " released"}}
	}
	l.holders = slices.Delete(l.holders, i, i+1)
	return append(s.next(name, l), message{c, id + " released"})
}

// drop frees all holds and requests of a connection.
func (s *LocalServer) drop(c *localConn) []message {
	out := s.dropMeetings(c)
	for name, l := range s.locks {
		l.queue = slices.DeleteFunc(l.queue, func(w *localWaiter) bool { return w.conn == c })
		l.holders = slices.DeleteFunc(l.holders, func(h *localHold) bool { return h.conn == c })
		if l.change != nil && l.change.hold.conn == c {
			l.change = nil
		}
		out = append(out, s.next(name, l)...)
	}
	return out
}

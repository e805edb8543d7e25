package control

import (
	"fmt"
	"slices"
)

// What follows runs with the server's state locked.

// acquire grants a free lock, lets its holder in once more, or puts the request into the queue.
func (s *LocalServer) acquire(w *localWaiter, wait bool) []message {
	l := s.locks[w.name]
	if l == nil {
		l = &localLock{}
		s.locks[w.name] = l
	}
	switch {
	case l.holder == nil:
		return []message{s.grant(l, w)}
	case l.holder.conn == w.conn:
		l.depth++
		return []message{{w.conn, fmt.Sprintf("%s granted %d %s", w.id, l.token, l.holder.owner)}}
	case wait:
		l.queue = append(l.queue, w)
		return nil
	}
	return []message{{w.conn, w.id + " refused"}}
}

func (s *LocalServer) grant(l *localLock, w *localWaiter) message {
	s.last++
	l.holder, l.token, l.depth = w, s.last, 1
	return message{w.conn, fmt.Sprintf("%s granted %d", w.id, l.token)}
}

// next hands a freed lock to the head of its queue.
func (s *LocalServer) next(name string, l *localLock) []message {
	l.holder = nil
	if len(l.queue) == 0 {
		delete(s.locks, name)
		return nil
	}
	w := l.queue[0]
	l.queue = l.queue[1:]
	return []message{s.grant(l, w)}
}

// cancel takes a waiting request out of its queue. One that was granted stays so.
func (s *LocalServer) cancel(c *localConn, id string) []message {
	for _, l := range s.locks {
		for i, w := range l.queue {
			if w.conn == c && w.id == id {
				l.queue = slices.Delete(l.queue, i, i+1)
				return []message{{c, id + " refused"}}
			}
		}
	}
	return nil
}

// release gives one entry back, and with the last of them the lock.
func (s *LocalServer) release(c *localConn, id, name string, token uint64) []message {
	l := s.locks[name]
	if l == nil || l.holder == nil || l.holder.conn != c || l.token != token {
		return []message{{c, id + " not-held"}}
	}
	if l.depth--; l.depth > 0 {
		return []message{{c, id + " released"}}
	}
	return append(s.next(name, l), message{c, id + " released"})
}

// drop frees everything that a connection held or waited for.
func (s *LocalServer) drop(c *localConn) []message {
	var out []message
	for name, l := range s.locks {
		l.queue = slices.DeleteFunc(l.queue, func(w *localWaiter) bool { return w.conn == c })
		if l.holder != nil && l.holder.conn == c {
			out = append(out, s.next(name, l)...)
		}
	}
	return out
}

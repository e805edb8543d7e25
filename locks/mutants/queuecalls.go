package mutants

import (
	"net"
	"slices"
	"strings"
	"sync"
	"time"
)

// A queueSession is one connection to a QueueServer. The server's mu guards its fields.
type queueSession struct {
	net.Conn
	server *QueueServer
	// timer ends the session. It is nil if the session ends only with its connection.
	timer *time.Timer
	ended bool
	// told is closed when the client is notified of the session's end.
	told chan struct{}
	// cut is closed when the connection has ended.
	cut  chan struct{}
	once sync.Once // of cut
}

// Read reads a request. At the end of the connection it ends the session and all waiting calls.
func (c *queueSession) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if err != nil {
		c.disconnected()
	}
	return n, err
}

// disconnected ends the session with its connection.
func (c *queueSession) disconnected() {
	c.once.Do(func() {
		s := c.server
		s.mu.Lock()
		defer s.mu.Unlock()
		close(c.cut)
		delete(s.sessions, c)
		if s.closed || !s.cfg.does(OutlivesDeath) {
			c.end()
		}
	})
}

// end frees the holds and requests of the session.
func (c *queueSession) end() {
	if c.ended {
		return
	}
	c.ended = true
	if c.timer != nil {
		c.timer.Stop()
	}
	c.server.drop(c)
}

// expire ends a session whose client was silent for too long, and notifies the client.
func (c *queueSession) expire() {
	s := c.server
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.ended || s.closed {
		return
	}
	c.end()
	switch {
	case s.cfg.does(NoticeMissing):
	case s.cfg.does(NoticeLate):
		time.AfterFunc(noticeDelay, func() { close(c.told) })
	default:
		close(c.told)
	}
}

// noticeDelay is the delay of a late notice. It exceeds the time for which a client of a run can be
// paused after the end of its session.
const noticeDelay = 3 * time.Second

// A QueueCall holds the arguments of a call.
type QueueCall struct {
	Name, Owner string
	Try, Shared bool // Try: do not wait; Shared: hold the lock as a reader, beside other readers
	// Session is the lifetime of the session from a ping on.
	Session time.Duration
}

// A QueueReply holds the answer to a call. Token 0 is a refusal.
type QueueReply struct {
	Token uint64
	Owner string
	// Refused reports that an upgrade failed: the hold is still a reader's.
	Refused bool
}

// QueueCalls provides the calls of one session to net/rpc.
type QueueCalls struct{ session *queueSession }

// Acquire answers when the lock was granted, or the request was removed from the queue.
func (q *QueueCalls) Acquire(a QueueCall, r *QueueReply) error {
	c, s := q.session, q.session.server
	s.mu.Lock()
	if c.ended {
		s.mu.Unlock()
		return errSessionOver
	}
	l := s.lock(a.Name)
	w := &queueWaiter{session: c, owner: a.Owner, shared: a.Shared, granted: make(chan struct{}), gone: make(chan struct{})}
	switch {
	case len(l.queue) == 0 && l.admits(w), len(l.queue) > 0 && w.shared && l.admits(w) && s.cfg.does(ReaderBarges):
		s.grant(l, w)
	case a.Try:
		w.leave()
	default:
		l.queue = append(l.queue, w)
	}
	s.mu.Unlock()
	select {
	case <-w.granted:
		s.loses(l, w, c)
		r.Token = w.token
	case <-w.gone:
	case <-c.cut:
	}
	return nil
}

// Cancel removes a waiting request from the queue.
func (q *QueueCalls) Cancel(a QueueCall, _ *QueueReply) error {
	s := q.session.server
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.lock(a.Name)
	if l.giveUp(a.Owner) {
		s.next(l)
		return nil
	}
	i := slices.IndexFunc(l.queue, func(w *queueWaiter) bool { return w.owner == a.Owner })
	if i < 0 {
		return nil // it was granted, or never arrived
	}
	l.queue[i].leave()
	if s.cfg.does(GhostWaiter) {
		return nil
	}
	l.queue = slices.Delete(l.queue, i, i+1)
	s.next(l)
	return nil
}

// Release releases the lock; token 0 reports that it was not held.
func (q *QueueCalls) Release(a QueueCall, r *QueueReply) error {
	s := q.session.server
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.lock(a.Name)
	i := slices.IndexFunc(l.holders, func(w *queueWaiter) bool { return w.owner == a.Owner })
	if i < 0 {
		return nil
	}
	r.Token = l.holders[i].token
	l.holders = slices.Delete(l.holders, i, i+1)
	s.next(l)
	s.resigned(l)
	return nil
}

// Ping extends the session from now, unless it has ended.
func (q *QueueCalls) Ping(a QueueCall, _ *QueueReply) error {
	c, s := q.session, q.session.server
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case c.ended || a.Session <= 0:
	case c.timer == nil:
		c.timer = time.AfterFunc(a.Session, c.expire)
	default:
		c.timer.Reset(a.Session)
	}
	return nil
}

// Watch answers when the server has ended the session.
func (q *QueueCalls) Watch(_ QueueCall, _ *QueueReply) error {
	select {
	case <-q.session.told:
		return nil
	case <-q.session.cut:
		return errSessionOver
	}
}

// Holder returns the first holder of the lock.
func (q *QueueCalls) Holder(a QueueCall, r *QueueReply) error {
	s := q.session.server
	s.mu.Lock()
	defer s.mu.Unlock()
	if l := s.locks[a.Name]; l != nil && len(l.holders) > 0 {
		r.Owner, r.Token = l.holders[0].owner, l.holders[0].token
	}
	return nil
}

// ownedByFirst reports whether a request belongs to the first client.
func ownedByFirst(owner string) bool { return strings.HasPrefix(owner, "p0:") }

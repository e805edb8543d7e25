package mutants

import (
	"errors"
	"fmt"
	"net"
	"net/rpc"
	"slices"
	"sync"
)

// The switches of a Queue's server.
const (
	LastFirst     Switch = "last-first"      // serves the last request in the queue first
	Starves       Switch = "starves"         // never serves one client while another waits
	WakesTwo      Switch = "wakes-two"       // one release in 200 serves two requests
	GhostWaiter   Switch = "ghost-waiter"    // a request whose caller no longer waits stays in the queue
	OutlivesDeath Switch = "outlives-death"  // the end of a connection releases nothing
	PlaceOfDead   Switch = "place-of-dead"   // the end of a connection releases its holds, but not its places in queues
	NoticeLate    Switch = "notice-late"     // the loss of a session is reported three seconds late
	NoticeMissing Switch = "notice-missing"  // the loss of a session is not reported
	ReaderBarges  Switch = "reader-barges"   // a reader enters beside readers although a writer waits
	UpgradeLetsGo Switch = "upgrade-lets-go" // a reader that upgrades releases its hold and waits in the queue
	UpgradersWait Switch = "upgraders-wait"  // two readers that upgrade wait for each other
)

// A QueueServer is a lock server with a queue for each name. A lease belongs to a session. A
// session ends with its connection or, if the client has requested a session time, when the client
// was silent for that long; the client is then notified.
type QueueServer struct {
	cfg      Config
	listener net.Listener
	wg       sync.WaitGroup

	mu       sync.Mutex
	closed   bool
	sessions map[*queueSession]bool
	locks    map[string]*queueLock
	token    uint64
}

// A queueLock is the state of one name.
type queueLock struct {
	// holders holds one writer, or readers.
	holders []*queueWaiter
	queue   []*queueWaiter
	// upgrades holds the readers that wait to become the writer.
	upgrades []*queueUpgrade
}

// admits reports whether a request can be granted beside the present holds.
func (l *queueLock) admits(w *queueWaiter) bool {
	return len(l.upgrades) == 0 && (len(l.holders) == 0 || w.shared && l.holders[0].shared)
}

// A queueWaiter is a request, waiting or granted.
type queueWaiter struct {
	session *queueSession
	owner   string
	shared  bool
	token   uint64
	// granted is closed by the grant.
	granted chan struct{}
	// gone is closed when the request was removed from the queue.
	gone chan struct{}
	left bool
}

// leave answers a request that is not granted. The caller holds the server's mu.
func (w *queueWaiter) leave() {
	if !w.left {
		w.left = true
		close(w.gone)
	}
}

// ListenQueue starts a server on a free port of the loopback interface.
func ListenQueue(c Config) (*QueueServer, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start queue server: %w", err)
	}
	s := &QueueServer{cfg: c.withDefaults(), listener: l, sessions: map[*queueSession]bool{}, locks: map[string]*queueLock{}}
	s.wg.Go(s.accept)
	return s, nil
}

// Addr returns the server's host:port.
func (s *QueueServer) Addr() string { return s.listener.Addr().String() }

// Close ends the server and all its connections.
func (s *QueueServer) Close() error {
	err := s.listener.Close()
	s.mu.Lock()
	s.closed = true
	for c := range s.sessions {
		c.Close()
	}
	s.mu.Unlock()
	s.wg.Wait()
	return err
}

// accept serves connections until the listener is closed. Every connection is a session.
func (s *QueueServer) accept() {
	for {
		conn, err := s.listener.Accept()
		if err != nil {
			return
		}
		c := &queueSession{server: s, Conn: conn, cut: make(chan struct{}), told: make(chan struct{})}
		s.mu.Lock()
		if s.closed {
			s.mu.Unlock()
			conn.Close()
			return
		}
		s.sessions[c] = true
		s.mu.Unlock()
		s.wg.Go(func() { s.serve(c) })
	}
}

// serve answers one client until its connection ends.
func (s *QueueServer) serve(c *queueSession) {
	r := rpc.NewServer()
	if err := r.RegisterName("Queue", &QueueCalls{c}); err != nil {
		panic(err) // a method does not have the form that net/rpc requires
	}
	r.ServeConn(c) // returns only after its waiting calls: see queueSession.Read
	c.disconnected()
}

// lock returns the state of a name. The caller holds mu.
func (s *QueueServer) lock(name string) *queueLock {
	l := s.locks[name]
	if l == nil {
		l = &queueLock{}
		s.locks[name] = l
	}
	return l
}

// grant makes a request the holder. The caller holds mu.
func (s *QueueServer) grant(l *queueLock, w *queueWaiter) {
	if s.token == 0 || !s.cfg.doesIn(TermRepeats, 30) {
		s.token++
	}
	w.token, l.holders = s.token, append(l.holders, w)
	close(w.granted)
}

// next hands a lock to the head of its queue, and to the requests behind it that can hold it at the
// same time. The caller holds mu.
func (s *QueueServer) next(l *queueLock) {
	l.upgrade()
	for len(l.queue) > 0 {
		i := s.chosen(l.queue)
		w := l.queue[i]
		if !l.admits(w) {
			return
		}
		l.queue = slices.Delete(l.queue, i, i+1)
		s.grant(l, w)
		if len(l.queue) > 0 && s.cfg.doesIn(WakesTwo, 200) {
			l.holders = nil
		}
	}
}

// chosen returns the index of the request to serve next.
func (s *QueueServer) chosen(queue []*queueWaiter) int {
	switch {
	case len(queue) > 1 && s.cfg.does(LastFirst):
		return len(queue) - 1
	case s.cfg.Switch == Starves && len(queue) > 1 && ownedByFirst(queue[0].owner) && s.cfg.does(Starves):
		return 1
	}
	return 0
}

// drop frees the holds and requests of a session. The caller holds mu.
func (s *QueueServer) drop(c *queueSession) {
	for _, l := range s.locks {
		l.queue = slices.DeleteFunc(l.queue, func(w *queueWaiter) bool {
			if w.session != c {
				return false
			}
			w.leave()
			return !s.cfg.does(PlaceOfDead)
		})
		l.holders = slices.DeleteFunc(l.holders, func(w *queueWaiter) bool { return w.session == c })
		l.upgrades = slices.DeleteFunc(l.upgrades, func(u *queueUpgrade) bool { return u.holder.session == c })
		s.next(l)
	}
}

var errSessionOver = errors.New("the session is over")

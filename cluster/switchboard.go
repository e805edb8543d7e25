package cluster

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

const (
	startTime   = 30 * time.Second
	dialTime    = time.Second
	callerTries = 20 // at finding out who connects, 5 ms apart
)

// errNoSocket says that the kernel knows no such socket: it was closed.
var errNoSocket = errors.New("no such socket")

// A switchboard is the one address under which a node is known to all its
// peers. It finds out which of them connects and leads the connection through the
// link between the two, so that each link can be disturbed by itself.
type switchboard struct {
	listener net.Listener
	to       int
	self     string // where the node itself listens, for what it sends to itself
	links    mesh
	pids     []atomic.Int64 // of the nodes
	open     <-chan struct{}

	mu    sync.Mutex
	conns map[net.Conn]bool // nil when closed
	wg    sync.WaitGroup
}

// switchboard starts one for the node with index to, which listens at self.
// Connections are closed at once until open is.
func (b *builder) switchboard(addr string, to int, self string, links mesh, pids []atomic.Int64, open <-chan struct{}) error {
	l, err := net.Listen("tcp4", addr)
	if err != nil {
		return err
	}
	s := &switchboard{listener: l, to: to, self: self, links: links, pids: pids, open: open, conns: map[net.Conn]bool{}}
	s.wg.Go(s.serve)
	b.onClose(func(context.Context) error { s.close(); return nil })
	return nil
}

// serve accepts connections until the listener is closed.
func (s *switchboard) serve() {
	for {
		c, err := s.listener.Accept()
		if err != nil {
			return
		}
		if s.keep(c) {
			s.wg.Go(func() { s.connect(c) })
		}
	}
}

// connect joins a connection to the link that it belongs to.
func (s *switchboard) connect(c net.Conn) {
	defer s.drop(c)
	select {
	case <-s.open:
	default:
		return
	}
	from := s.caller(c)
	if from < 0 {
		return // the caller has gone already, or is none of ours
	}
	addr := s.self
	if from != s.to {
		addr = s.links[from][s.to].Addr()
	}
	up, err := net.DialTimeout("tcp4", addr, dialTime)
	if err != nil || !s.keep(up) {
		return
	}
	defer s.drop(up)
	var both sync.WaitGroup
	both.Go(func() { carry(up, c) })
	both.Go(func() { carry(c, up) })
	both.Wait()
}

// carry copies one direction and passes its end on.
func carry(to, from net.Conn) {
	_, err := io.Copy(to, from)
	if err != nil { // broken: nothing more can pass
		to.Close()
		from.Close()
		return
	}
	if t, ok := to.(*net.TCPConn); ok {
		_ = t.CloseWrite() // it may have gone
	}
}

// caller returns the index of the node that opened a connection, or -1. A
// process that has just started may not have told its number yet.
func (s *switchboard) caller(c net.Conn) int {
	for range callerTries {
		pids := make([]int, len(s.pids))
		for i := range s.pids {
			pids[i] = int(s.pids[i].Load())
		}
		i, err := connOwner(c, pids)
		if err == nil && i >= 0 {
			return i
		}
		if errors.Is(err, errNoSocket) {
			return -1 // the caller has gone
		}
		time.Sleep(5 * time.Millisecond)
	}
	return -1
}

// keep remembers a connection; false if the switchboard is closed.
func (s *switchboard) keep(c net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conns == nil {
		c.Close()
		return false
	}
	s.conns[c] = true
	return true
}

// drop closes a connection.
func (s *switchboard) drop(c net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
	c.Close()
}

// close ends the listener and all connections.
func (s *switchboard) close() {
	s.listener.Close()
	s.mu.Lock()
	for c := range s.conns {
		c.Close()
	}
	s.conns = nil
	s.mu.Unlock()
	s.wg.Wait()
}

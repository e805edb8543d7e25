package cluster

import (
	"errors"
	"net"
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
	to    int
	self  string // where the node itself listens, for what it sends to itself
	links mesh
	pids  []atomic.Int64 // of the nodes
	open  <-chan struct{}
}

// switchboard starts one for the node with index to, which listens at self.
// Connections are closed at once until open is.
func (b *builder) switchboard(addr string, to int, self string, links mesh, pids []atomic.Int64, open <-chan struct{}) error {
	s := &switchboard{to: to, self: self, links: links, pids: pids, open: open}
	return b.junction(addr, s.lead)
}

// lead opens the link that a connection belongs to.
func (s *switchboard) lead(c net.Conn) net.Conn {
	select {
	case <-s.open:
	default:
		return nil
	}
	from := s.caller(c)
	if from < 0 {
		return nil // the caller has gone already, or is none of ours
	}
	addr := s.self
	if from != s.to {
		addr = s.links[from][s.to].Addr()
	}
	up, err := net.DialTimeout("tcp4", addr, dialTime)
	if err != nil {
		return nil
	}
	return up
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

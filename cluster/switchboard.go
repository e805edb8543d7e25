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
	callerTries = 20 // attempts to identify the caller, 5 ms apart
)

// errNoSocket reports that the kernel has no such socket, because it was closed.
var errNoSocket = errors.New("no such socket")

// A switchboard is the single address of a node for all its peers. It identifies the peer that
// opens a connection and leads the connection through the link between the two, so that each link
// can be disturbed separately.
type switchboard struct {
	to    int
	self  string // address of the node itself, for its connections to itself
	links mesh
	pids  []atomic.Int64 // of the nodes
	open  <-chan struct{}
}

// switchboard starts the switchboard of the node with index to, which listens at self. It closes
// connections immediately until open is closed.
func (b *builder) switchboard(addr string, to int, self string, links mesh, pids []atomic.Int64, open <-chan struct{}) error {
	s := &switchboard{to: to, self: self, links: links, pids: pids, open: open}
	return b.junction(addr, s.lead)
}

// lead opens the link to which a connection belongs.
func (s *switchboard) lead(c net.Conn) net.Conn {
	select {
	case <-s.open:
	default:
		return nil
	}
	from := s.caller(c)
	if from < 0 {
		return nil // the caller has ended or is not a node of this cluster
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

// caller returns the index of the node that opened a connection, or -1. The process id of a node
// that has just started may not be known yet.
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
			return -1 // the caller has ended
		}
		time.Sleep(5 * time.Millisecond)
	}
	return -1
}

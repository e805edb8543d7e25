package cluster

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"syscall"
	"time"
)

// The ports that servers get: below 32768, where Linux begins to hand out ports for
// outgoing connections, so that a server that was killed finds its own still free.
const (
	firstPort = 20000
	lastPort  = 32700
)

// errNoPort is returned when all ports are taken.
var errNoPort = errors.New("no free port")

// Ports reserves loopback ports for servers. A reservation is seen by every
// other cluster of this machine, in this process or another, and lasts until Close,
// also while the server that the port is for is down.
type Ports struct {
	next  int
	marks []net.PacketConn
}

// Reserve returns a free port.
func (p *Ports) Reserve() (int, error) {
	if p.next == 0 { // processes begin at different places, which saves attempts
		p.next = firstPort + os.Getpid()*97%(lastPort-firstPort)
	}
	for range lastPort - firstPort {
		port := p.next
		if p.next++; p.next > lastPort {
			p.next = firstPort
		}
		if p.mark(port) {
			return port, nil
		}
	}
	return 0, fmt.Errorf("reserve a port in %d–%d: %w", firstPort, lastPort, errNoPort)
}

// mark takes the UDP port of that number, which no server here uses, as the
// sign that the TCP port is taken.
func (p *Ports) mark(port int) bool {
	addr := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	m, err := net.ListenPacket("udp4", addr)
	if err != nil {
		return false
	}
	// Nobody must listen there. To listen for a moment would show that too, but a program that
	// is just being started has a copy of all sockets until it runs: the port would seem
	// taken.
	c, err := net.DialTimeout("tcp4", addr, time.Second)
	if !errors.Is(err, syscall.ECONNREFUSED) {
		if err == nil {
			c.Close()
		}
		m.Close()
		return false
	}
	p.marks = append(p.marks, m)
	return true
}

// Close gives all reservations up.
func (p *Ports) Close() error {
	var errs []error
	for _, m := range p.marks {
		errs = append(errs, m.Close())
	}
	p.marks = nil
	return errors.Join(errs...)
}

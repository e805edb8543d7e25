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

// The ports for servers: below 32768, where Linux starts to assign ports to outgoing connections,
// so that the port of a killed server remains free.
const (
	firstPort = 20000
	lastPort  = 32700
)

// errNoPort is returned when all ports are taken.
var errNoPort = errors.New("no free port")

// Ports reserves loopback ports for servers. A reservation is visible to every other cluster on
// this machine, in this process or another. It lasts until Close, even while the server of the port
// is down.
type Ports struct {
	next  int
	marks []net.PacketConn
}

// Reserve returns a free port.
func (p *Ports) Reserve() (int, error) {
	if p.next == 0 { // processes start at different ports, which saves attempts
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

// mark reserves a TCP port by opening the UDP port of the same number, which no server here uses.
func (p *Ports) mark(port int) bool {
	addr := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	m, err := net.ListenPacket("udp4", addr)
	if err != nil {
		return false
	}
	// No process may listen on the port. An attempt to listen would show that too, but a program
	// that is being started inherits all sockets until it runs, so the port would seem taken.
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

// Close ends all reservations.
func (p *Ports) Close() error {
	var errs []error
	for _, m := range p.marks {
		errs = append(errs, m.Close())
	}
	p.marks = nil
	return errors.Join(errs...)
}

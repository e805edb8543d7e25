package zookeeper

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"time"

	"github.com/go-zookeeper/zk"
)

// A pipe makes the connections of a session and can cut them all.
type pipe struct {
	cfg  Config
	over <-chan struct{}

	mu   sync.Mutex
	cutt bool
	// conn is the latest connection.
	conn    net.Conn
	granted time.Duration // timeout of the session that a server has granted last
}

// errCut is returned for connections that open after the pipe was cut.
var errCut = errors.New("connection is cut")

func newPipe(cfg Config, over <-chan struct{}) *pipe { return &pipe{cfg: cfg, over: over} }

// dial opens a connection. The library opens one at a time.
func (p *pipe) dial(network, addr string, timeout time.Duration) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(context.Background(), min(timeout, p.silence()))
	defer cancel()
	c, err := p.cfg.Dial(ctx, network, addr)
	if err != nil { // otherwise the library would try again at once
		select {
		case <-time.After(retry):
		case <-p.over:
		}
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cutt {
		c.Close()
		return nil, errCut
	}
	p.conn = c
	return &impatient{Conn: c, limit: p.silence(), timeout: p.grant}, nil
}

// grant notes a session's timeout. 0 means that the session has expired.
func (p *pipe) grant(timeout time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if timeout > 0 {
		p.granted = timeout
	}
}

// check returns an error if the servers have granted another timeout than was asked for: they would
// keep the nodes of a dead client for longer than the TTL, or end the session of one that lives.
func (p *pipe) check() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	asked := p.cfg.TTL.Truncate(time.Millisecond)
	if p.granted == asked {
		return nil
	}
	setting, way := "minSessionTimeout", "lower"
	if p.granted < asked {
		setting, way = "maxSessionTimeout", "raise"
	}
	return fmt.Errorf("the servers allow no session timeout of %v and gave one of %v: choose a TTL of %v, or %s %s in zoo.cfg", asked, p.granted, p.granted, way, setting)
}

// silence returns the time after which a silent server is replaced by another. The heartbeat makes
// a server answer twice in that time.
func (p *pipe) silence() time.Duration { return p.cfg.TTL / 2 }

// cut closes the connection, and every later one.
func (p *pipe) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cutt = true
	if p.conn != nil {
		p.conn.Close()
	}
}

// An impatient connection waits for an answer no longer than its limit. The library would wait
// almost seven timeouts for a server that accepts a connection and stays silent. It reads along
// which timeout the server grants, which the library does not tell.
type impatient struct {
	net.Conn
	limit   time.Duration
	head    []byte
	timeout func(time.Duration)
}

// answerHead is the length of the beginning of a server's first message: its length, the version of
// the protocol, and the timeout in milliseconds.
const answerHead = 12

// Read reads along.
func (c *impatient) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if more := min(n, answerHead-len(c.head)); more > 0 {
		if c.head = append(c.head, b[:more]...); len(c.head) == answerHead {
			c.timeout(time.Duration(int32(binary.BigEndian.Uint32(c.head[8:]))) * time.Millisecond)
		}
	}
	return n, err
}

// SetReadDeadline sets the deadline or a nearer one.
func (c *impatient) SetReadDeadline(t time.Time) error {
	if most := time.Now().Add(c.limit); !t.IsZero() && t.After(most) {
		t = most
	}
	return c.Conn.SetReadDeadline(t)
}

// A hosts returns the servers in turn, beginning with a random one. The library's own provider
// makes it pause for a second once all servers were tried.
type hosts struct {
	over <-chan struct{}
	// rand draws the first server.
	rand *rand.Rand
	list []string
	next int
}

var _ zk.HostProvider = (*hosts)(nil)

// Init sets the servers.
func (h *hosts) Init(servers []string) error {
	h.list, h.next = servers, h.rand.IntN(len(servers))
	return nil
}

// Len returns the number of servers.
func (h *hosts) Len() int { return len(h.list) }

// Next returns the server to try. It requests a pause only when the session is over, because the
// library checks during the pause whether it was closed.
func (h *hosts) Next() (string, bool) {
	s := h.list[h.next]
	h.next = (h.next + 1) % len(h.list)
	select {
	case <-h.over:
		return s, true
	default:
		return s, false
	}
}

// Connected does nothing.
func (h *hosts) Connected() {}

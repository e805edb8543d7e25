package dial

import (
	"context"
	"errors"
	"net"
	"sync"
)

// Wires are the connections of one client. They can all be cut, as a crash would: a library that is
// asked to close would release its locks first.
type Wires struct {
	dialer func(ctx context.Context, network, addr string) (net.Conn, error)

	mu    sync.Mutex
	conns map[net.Conn]bool // nil when cut
}

var errCut = errors.New("client is closed")

// NewWires returns connections that dial makes; nil: Plain does.
func NewWires(dial func(ctx context.Context, network, addr string) (net.Conn, error)) *Wires {
	if dial == nil {
		dial = Plain
	}
	return &Wires{dialer: dial, conns: map[net.Conn]bool{}}
}

// Dial makes a connection.
func (w *Wires) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	c, err := w.dialer(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.conns == nil {
		c.Close()
		return nil, errCut
	}
	w.conns[c] = true
	return &wire{c, w}, nil
}

// Cut ends all connections, and every later one.
func (w *Wires) Cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for c := range w.conns {
		c.Close()
	}
	w.conns = nil
}

// A wire is forgotten when it is closed.
type wire struct {
	net.Conn
	wires *Wires
}

// Close closes the connection.
func (c *wire) Close() error {
	c.wires.mu.Lock()
	delete(c.wires.conns, c.Conn)
	c.wires.mu.Unlock()
	return c.Conn.Close()
}

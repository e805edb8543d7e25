package thirdparty

import (
	"context"
	"errors"
	"net"
	"sync"
)

// wires are the connections of a client of a library, which can all be cut, as
// a crash would: the library is not asked, because it would release.
type wires struct {
	dialer func(ctx context.Context, network, addr string) (net.Conn, error)

	mu    sync.Mutex
	conns map[net.Conn]bool // nil when cut
}

var errWiresCut = errors.New("client is closed")

func newWires(dial func(ctx context.Context, network, addr string) (net.Conn, error)) *wires {
	if dial == nil {
		dial = new(net.Dialer).DialContext
	}
	return &wires{dialer: dial, conns: map[net.Conn]bool{}}
}

// dial makes a connection.
func (w *wires) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	c, err := w.dialer(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.conns == nil {
		c.Close()
		return nil, errWiresCut
	}
	w.conns[c] = true
	return &wire{c, w}, nil
}

// cut ends all connections, and every later one.
func (w *wires) cut() {
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
	wires *wires
}

// Close closes the connection.
func (c *wire) Close() error {
	c.wires.mu.Lock()
	delete(c.wires.conns, c.Conn)
	c.wires.mu.Unlock()
	return c.Conn.Close()
}

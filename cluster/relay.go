package cluster

import (
	"context"
	"net"
	"sync"
	"time"
)

// relayTime is how long a relay waits for the server to listen.
const relayTime = time.Second

// A relay leads to a server that does not listen all the time. A proxy accepts a
// connection before it knows whether the server does, and then closes it, which looks
// like a server that died; a relay lets the caller wait until the server listens.
type relay struct {
	listener net.Listener
	upstream string

	mu    sync.Mutex
	conns map[net.Conn]bool // nil when closed
	wg    sync.WaitGroup
}

// relay starts one on an address.
func (b *builder) relay(addr, upstream string) error {
	l, err := net.Listen("tcp4", addr)
	if err != nil {
		return err
	}
	r := &relay{listener: l, upstream: upstream, conns: map[net.Conn]bool{}}
	r.wg.Go(r.serve)
	b.onClose(func(context.Context) error { r.close(); return nil })
	return nil
}

// serve accepts connections until the listener is closed.
func (r *relay) serve() {
	for {
		c, err := r.listener.Accept()
		if err != nil {
			return
		}
		if r.keep(c) {
			r.wg.Go(func() { r.connect(c) })
		}
	}
}

// connect joins a connection to one to the server.
func (r *relay) connect(c net.Conn) {
	defer r.drop(c)
	end := time.Now().Add(relayTime)
	up, err := net.DialTimeout("tcp4", r.upstream, dialTime)
	for err != nil && time.Now().Before(end) {
		time.Sleep(5 * time.Millisecond)
		up, err = net.DialTimeout("tcp4", r.upstream, dialTime)
	}
	if err != nil || !r.keep(up) {
		return
	}
	defer r.drop(up)
	var both sync.WaitGroup
	both.Go(func() { carry(up, c) })
	both.Go(func() { carry(c, up) })
	both.Wait()
}

// keep remembers a connection; false if the relay is closed.
func (r *relay) keep(c net.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.conns == nil {
		c.Close()
		return false
	}
	r.conns[c] = true
	return true
}

// drop closes a connection.
func (r *relay) drop(c net.Conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.conns, c)
	c.Close()
}

// close ends the listener and all connections.
func (r *relay) close() {
	r.listener.Close()
	r.mu.Lock()
	for c := range r.conns {
		c.Close()
	}
	r.conns = nil
	r.mu.Unlock()
	r.wg.Wait()
}

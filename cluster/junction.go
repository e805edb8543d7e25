package cluster

import (
	"context"
	"io"
	"net"
	"sync"
)

// A junction accepts connections and connects each to another one, until it is closed.
type junction struct {
	listener net.Listener
	lead     func(net.Conn) net.Conn // opens the counterpart of a connection; nil: the connection is closed
	between  func(c, up net.Conn)    // carries the data of both directions, until both have ended

	mu    sync.Mutex
	conns map[net.Conn]bool // nil when closed
	wg    sync.WaitGroup
}

// junction starts a junction on an address.
func (b *builder) junction(addr string, lead func(net.Conn) net.Conn) error {
	j := &junction{}
	if err := j.listen(addr, lead, carryBoth); err != nil {
		return err
	}
	b.onClose(func(context.Context) error {
		j.stop()
		j.wg.Wait()
		return nil
	})
	return nil
}

// listen starts a junction.
func (j *junction) listen(addr string, lead func(net.Conn) net.Conn, between func(c, up net.Conn)) (err error) {
	if j.listener, err = net.Listen("tcp4", addr); err != nil {
		return err
	}
	j.lead, j.between, j.conns = lead, between, map[net.Conn]bool{}
	j.wg.Go(j.serve)
	return nil
}

// serve accepts connections until the listener is closed.
func (j *junction) serve() {
	for {
		c, err := j.listener.Accept()
		if err != nil {
			return
		}
		if j.keep(c) {
			j.wg.Go(func() { j.join(c) })
		}
	}
}

// join connects a connection with its counterpart.
func (j *junction) join(c net.Conn) {
	defer j.drop(c)
	up := j.lead(c)
	if up == nil || !j.keep(up) {
		return
	}
	defer j.drop(up)
	j.between(c, up)
}

// carryBoth carries the data of both directions.
func carryBoth(c, up net.Conn) {
	var both sync.WaitGroup
	both.Go(func() { carry(up, c) })
	both.Go(func() { carry(c, up) })
	both.Wait()
}

// carry copies one direction, and then closes the receiver for writing.
func carry(to, from net.Conn) {
	_, err := io.Copy(to, from)
	if err != nil { // broken: no more data can pass
		to.Close()
		from.Close()
		return
	}
	if t, ok := to.(*net.TCPConn); ok {
		_ = t.CloseWrite() // the connection may be closed already
	}
}

// keep registers a connection. It returns false if the junction is closed.
func (j *junction) keep(c net.Conn) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.conns == nil {
		c.Close()
		return false
	}
	j.conns[c] = true
	return true
}

// drop closes a connection.
func (j *junction) drop(c net.Conn) {
	j.mu.Lock()
	defer j.mu.Unlock()
	delete(j.conns, c)
	c.Close()
}

// hangUp closes all connections.
func (j *junction) hangUp() {
	j.mu.Lock()
	defer j.mu.Unlock()
	for c := range j.conns {
		c.Close()
	}
}

// stop closes the listener and all connections.
func (j *junction) stop() {
	j.listener.Close()
	j.hangUp()
	j.mu.Lock()
	j.conns = nil
	j.mu.Unlock()
}

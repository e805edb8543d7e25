package cluster

import (
	"bytes"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// Plain is a Forwarder that needs only the standard library. gotest uses it, so that its users need
// no further modules.
func Plain(listen, upstream string, connect func() (requests, replies Pipe)) (Proxy, error) {
	p := &plain{}
	p.upstream.Store(&upstream)
	err := p.listen(listen, p.lead, func(c, up net.Conn) {
		requests, replies := connect()
		var both sync.WaitGroup
		both.Go(func() { run(requests, up, c) })
		both.Go(func() { run(replies, c, up) })
		both.Wait()
	})
	if err != nil {
		return nil, fmt.Errorf("start proxy on %s: %w", listen, err)
	}
	return p, nil
}

// A plain is a junction whose connections pass through pipes.
type plain struct {
	junction
	upstream atomic.Pointer[string]
}

func (p *plain) lead(net.Conn) net.Conn {
	up, err := net.Dial("tcp", *p.upstream.Load())
	if err != nil {
		return nil
	}
	return up
}

// Addr returns the address on which it listens.
func (p *plain) Addr() string { return p.listener.Addr().String() }

// Move closes all connections and connects new ones to another server.
func (p *plain) Move(upstream string) error {
	p.upstream.Store(&upstream)
	p.hangUp()
	return nil
}

// Stop closes the listener and all connections. A pipe may still hold received data.
func (p *plain) Stop() { p.stop() }

// mostChunk bounds the bytes of one read, which form one chunk.
const mostChunk = 32 << 10

// run runs a pipe over one direction of a connection. It closes the receiver when the pipe has
// ended.
func run(pipe Pipe, to, from net.Conn) {
	in := make(chan []byte)
	go read(in, from)
	pipe(direct{Chunks[[]byte]{In: in, Close: func() { to.Close() }, Data: func(b []byte) []byte { return b }}, to})
}

// A direct is a stream that writes to its receiver itself. To hand each message over to a writing
// goroutine would cost as much as the write.
type direct struct {
	Chunks[[]byte]
	to net.Conn
}

func (d direct) send(chunk []byte, gone <-chan time.Time, closed <-chan struct{}) bool {
	select {
	case <-closed:
		return false
	default:
	}
	if gone != nil {
		_ = d.to.SetWriteDeadline(time.Now().Add(goneTime)) // a socket supports deadlines
		defer func() { _ = d.to.SetWriteDeadline(time.Time{}) }()
	}
	_, err := d.to.Write(chunk)
	return err == nil
}

func read(in chan<- []byte, from net.Conn) {
	defer close(in)
	buffer := make([]byte, mostChunk)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			in <- bytes.Clone(buffer[:n])
		}
		if err != nil {
			return
		}
	}
}

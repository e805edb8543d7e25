package cluster

import (
	"bytes"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
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
// ended or a write has failed.
func run(pipe Pipe, to, from net.Conn) {
	in, out := make(chan []byte), make(chan []byte)
	same := func(b []byte) []byte { return b }
	go read(in, from)
	go pipe(Chunks[[]byte]{In: in, Out: out, Close: func() { close(out) }, Data: same, Wrap: same})
	defer to.Close()
	for chunk := range out {
		if _, err := to.Write(chunk); err != nil {
			return
		}
	}
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

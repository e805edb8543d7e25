// Package toxiproxy runs the proxies of links with the library github.com/Shopify/toxiproxy.
package toxiproxy

import (
	"fmt"
	"strings"
	"sync"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/Shopify/toxiproxy/v2/stream"
	"github.com/Shopify/toxiproxy/v2/toxics"
	"github.com/rs/zerolog"

	"locktorture/cluster"
)

// Forward is a cluster.Forwarder. Each pipe runs in a toxic of its own. The toxic is in the chain
// from the start, so that a change in the pipe does not interrupt connections.
func Forward(listen, upstream string, connect func() (requests, replies cluster.Pipe)) (cluster.Proxy, error) {
	server := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop())
	tp := toxiproxy.NewProxy(server, "link", listen, upstream)
	j := &joint{connect: connect}
	for direction, t := range map[string]toxics.Toxic{"upstream": toxic{j.requests}, "downstream": toxic{j.theirReplies}} {
		if err := install(tp, direction, t); err != nil {
			return nil, err
		}
	}
	if err := tp.Start(); err != nil {
		return nil, fmt.Errorf("start proxy on %s: %w", listen, err)
	}
	return &proxy{tp}, nil
}

// install adds a toxic to a proxy before the proxy is started. Toxiproxy creates toxics from a
// registry of types for the whole program, which cannot distinguish the pipes of two links, so
// install creates a no-op and replaces it.
func install(tp *toxiproxy.Proxy, direction string, t toxics.Toxic) error {
	w, err := tp.Toxics.AddToxicJson(strings.NewReader(
		fmt.Sprintf(`{"type":"noop","name":%q,"stream":%q}`, direction, direction)))
	if err != nil {
		return fmt.Errorf("install toxic: %w", err)
	}
	w.Toxic = t
	return nil
}

// A joint connects the two directions of each connection of a proxy. The proxy asks for the
// requests of a connection, then for its replies, before it accepts the next connection.
type joint struct {
	connect func() (requests, replies cluster.Pipe)

	mu      sync.Mutex
	replies cluster.Pipe // of the connection whose requests were taken
}

func (j *joint) requests() (p cluster.Pipe) {
	j.mu.Lock()
	defer j.mu.Unlock()
	p, j.replies = j.connect()
	return p
}

func (j *joint) theirReplies() cluster.Pipe {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.replies
}

// A toxic runs a pipe for each connection.
type toxic struct{ pipe func() cluster.Pipe }

var _ toxics.StatefulToxic = toxic{}

// NewState implements toxics.StatefulToxic.
func (t toxic) NewState() any { return t.pipe() }

// Pipe carries the data of one connection in one direction until the connection ends. No toxic is
// ever added to a started proxy, so toxiproxy never interrupts Pipe.
func (t toxic) Pipe(stub *toxics.ToxicStub) {
	stub.State.(cluster.Pipe)(cluster.Chunks[*stream.StreamChunk]{
		In: stub.Input, Out: stub.Output, Close: stub.Close,
		Data: func(c *stream.StreamChunk) []byte { return c.Data },
		Wrap: func(data []byte) *stream.StreamChunk { return &stream.StreamChunk{Data: data} },
	})
}

// A proxy is a proxy of toxiproxy.
type proxy struct{ tp *toxiproxy.Proxy }

// Addr returns the address on which the proxy listens.
func (p *proxy) Addr() string {
	p.tp.Lock()
	defer p.tp.Unlock()
	return p.tp.Listen
}

// Move closes all connections and connects new ones to another server.
func (p *proxy) Move(upstream string) error {
	to := &toxiproxy.Proxy{Listen: p.Addr(), Upstream: upstream, Enabled: true}
	if err := p.tp.Update(to); err != nil {
		return fmt.Errorf("move proxy %s to %s: %w", to.Listen, upstream, err)
	}
	return nil
}

// Stop closes the listener and all connections.
func (p *proxy) Stop() { p.tp.Stop() }

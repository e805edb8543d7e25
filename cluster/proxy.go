package cluster

import (
	"fmt"
	"strings"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/Shopify/toxiproxy/v2/toxics"
	"github.com/rs/zerolog"
)

// A proxy is a toxiproxy proxy with two valves in it.
type proxy struct{ tp *toxiproxy.Proxy }

// newProxy starts a proxy. Its connections have the taps; nil: they cannot be watched.
func newProxy(listen, upstream string, requests, replies *valve, t *taps) (*proxy, error) {
	server := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop())
	tp := toxiproxy.NewProxy(server, "link", listen, upstream)
	up, down := toxics.Toxic(requests), toxics.Toxic(replies)
	if t != nil {
		c := &conns{taps: t}
		up, down = port{requests, false, c}, port{replies, true, c}
	}
	for direction, v := range map[string]toxics.Toxic{"upstream": up, "downstream": down} {
		if err := install(tp, direction, v); err != nil {
			return nil, err
		}
	}
	if err := tp.Start(); err != nil {
		return nil, fmt.Errorf("start proxy on %s: %w", listen, err)
	}
	return &proxy{tp: tp}, nil
}

// install puts a valve into a proxy that was not started yet. Toxiproxy makes toxics from a
// registry of types for the whole program, which cannot distinguish the valves of two links, so
// install creates a no-op and replaces it.
func install(tp *toxiproxy.Proxy, direction string, v toxics.Toxic) error {
	w, err := tp.Toxics.AddToxicJson(strings.NewReader(
		fmt.Sprintf(`{"type":"noop","name":%q,"stream":%q}`, direction, direction)))
	if err != nil {
		return fmt.Errorf("install valve: %w", err)
	}
	w.Toxic = v
	return nil
}

// addr returns the address on which the proxy listens.
func (p *proxy) addr() string {
	p.tp.Lock()
	defer p.tp.Unlock()
	return p.tp.Listen
}

// move closes all connections and leads new ones to another server.
func (p *proxy) move(upstream string) error {
	to := &toxiproxy.Proxy{Listen: p.addr(), Upstream: upstream, Enabled: true}
	if err := p.tp.Update(to); err != nil {
		return fmt.Errorf("move proxy %s to %s: %w", to.Listen, upstream, err)
	}
	return nil
}

// stop closes the listener and all connections.
func (p *proxy) stop() { p.tp.Stop() }

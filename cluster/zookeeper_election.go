package cluster

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/Shopify/toxiproxy/v2/stream"
	"github.com/Shopify/toxiproxy/v2/toxics"
	"github.com/rs/zerolog"
)

// electionProxies makes a second proxy for each link, for the connections over
// which ZooKeeper elects its leader. They share the valves of the link. What it returns has
// the ports: the one of row i, column j is where i reaches j.
//
// A ZooKeeper that opens such a connection begins with its own address, and
// the other, if its number is higher, closes the connection and dials that address. It
// would do so past the proxies, so the address is rewritten on the way.
func (b *builder) electionProxies(links mesh, real []int) ([][]int, error) {
	ports := make([][]int, len(links))
	for i := range ports {
		p, err := b.reserve(len(links))
		if err != nil {
			return nil, err
		}
		ports[i] = p
	}
	for i, row := range links {
		for j, link := range row {
			if i == j {
				continue
			}
			hello := rewriter{from: local(real[i]), to: local(ports[j][i])}
			p, err := newElectionProxy(local(ports[i][j]), local(real[j]), hello, link)
			if err != nil {
				return nil, err
			}
			b.onClose(func(context.Context) error { p.stop(); return nil })
		}
	}
	return ports, nil
}

func newElectionProxy(listen, upstream string, hello rewriter, link *Link) (*proxy, error) {
	server := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop())
	tp := toxiproxy.NewProxy(server, "election", listen, upstream)
	w, err := tp.Toxics.AddToxicJson(strings.NewReader(`{"type":"noop","name":"hello","stream":"upstream"}`))
	if err != nil {
		return nil, fmt.Errorf("install rewriter: %w", err)
	}
	w.Toxic = hello
	for direction, v := range map[string]*valve{"upstream": link.requests, "downstream": link.replies} {
		if err := install(tp, direction, v); err != nil {
			return nil, err
		}
	}
	if err := tp.Start(); err != nil {
		return nil, fmt.Errorf("start election proxy on %s: %w", listen, err)
	}
	return &proxy{tp: tp}, nil
}

// A rewriter is a toxic that changes the address in the first message of an
// election connection: int64 −65536 (the protocol), int64 number of the server,
// int32 length, "host:port".
type rewriter struct{ from, to string }

const helloHeader = 8 + 8 + 4

// Pipe carries the data of one connection in one direction until it ends.
func (r rewriter) Pipe(stub *toxics.ToxicStub) {
	var first []byte
	for said := false; ; {
		var c *stream.StreamChunk
		select {
		case <-stub.Interrupt: // toxics are never added to a running proxy
			return
		case c = <-stub.Input:
		}
		if c == nil {
			stub.Close()
			return
		}
		if !said {
			first = append(first, c.Data...)
			if c.Data, said = r.rewrite(first); !said {
				continue
			}
		}
		stub.Output <- c
	}
}

// rewrite returns the first bytes of a connection with the new address, or
// false if there are too few of them yet.
func (r rewriter) rewrite(first []byte) ([]byte, bool) {
	if len(first) < helloHeader {
		return nil, false
	}
	length := int(binary.BigEndian.Uint32(first[16:]))
	if int64(binary.BigEndian.Uint64(first)) != -65536 || length > 1024 {
		return first, true // some other protocol: not ours to change
	}
	if len(first) < helloHeader+length {
		return nil, false
	}
	addr := first[helloHeader : helloHeader+length]
	if string(addr) != r.from {
		return first, true
	}
	out := append([]byte(nil), first[:16]...)
	out = binary.BigEndian.AppendUint32(out, uint32(len(r.to)))
	out = append(out, r.to...)
	return append(out, first[helloHeader+length:]...), true
}

package cluster

import (
	"context"
	"encoding/binary"
)

// electionProxies makes a second proxy for each link, for the connections over which ZooKeeper
// elects its leader. They share the valves of the link. It returns their ports: row i, column j is
// the port at which i reaches j.
//
// A ZooKeeper that opens such a connection first sends its own address. The other server, if its
// number is higher, closes the connection and dials that address. It would bypass the proxies, so
// the address is rewritten on the way.
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
			t := &taps{}
			t.change(func(t *taps) { t.guard = hello })
			p, err := b.Forward.proxy(local(ports[i][j]), local(real[j]), link.requests, link.replies, t)
			if err != nil {
				return nil, err
			}
			b.onClose(func(context.Context) error { p.Stop(); return nil })
		}
	}
	return ports, nil
}

// A rewriter is a guard that changes the address in the first message of an election connection:
// int64 −65536 (the protocol), int64 number of the server, int32 length, "host:port".
type rewriter struct{ from, to string }

const helloHeader = 8 + 8 + 4

// Connect implements Guard. Only requests have such a message.
func (r rewriter) Connect(Way) (requests, replies Gate) { return &rewriting{rewriter: r}, nil }

// A rewriting holds the state of a rewriter for one connection.
type rewriting struct {
	rewriter
	first []byte
	said  bool
}

// Pass keeps the arriving data until the first message is complete.
func (r *rewriting) Pass(data []byte) []Piece {
	if !r.said {
		r.first = append(r.first, data...)
		if data, r.said = r.rewrite(r.first); !r.said {
			return nil
		}
	}
	return []Piece{{Data: data}}
}

// rewrite returns the first bytes of a connection with the new address, or false if too few of them
// have arrived.
func (r rewriter) rewrite(first []byte) ([]byte, bool) {
	if len(first) < helloHeader {
		return nil, false
	}
	length := int(binary.BigEndian.Uint32(first[16:]))
	if int64(binary.BigEndian.Uint64(first)) != -65536 || length > 1024 {
		return first, true // another protocol, which must not be changed
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

// Package zookeeper decodes the traffic of ZooKeeper.
//
// # Reading order
//
// decoder.go, requests.go, replies.go; jute.go reads the fields of records.
//
// Source: zookeeper.jute, and org.apache.zookeeper.ZooDefs.OpCode.
package zookeeper

import (
	"fmt"
	"strings"

	"locktorture/wire"
	"locktorture/wire/frame"
)

// A Decoder decodes one connection.
type Decoder struct {
	wire.Base
	asked             map[int32]ask
	connects, answers bool // the first request, the first reply was seen or is missing
}

// An ask is a request without a reply yet.
type ask struct {
	op   int32
	text string
}

// mostAsked bounds the number of requests that are remembered.
const mostAsked = 10_000

var _ wire.Decoder = (*Decoder)(nil)

// New returns a decoder for a connection at its start.
func New() *Decoder { return &Decoder{asked: map[int32]ask{}} }

// Decode implements wire.Decoder.
func (d *Decoder) Decode(reply bool, data []byte) []wire.Message {
	return d.Cut(reply, data, d.request, d.reply)
}

// Gap implements wire.Decoder.
func (d *Decoder) Gap() {
	d.Base.Gap()
	clear(d.asked)
	d.connects, d.answers = true, true
}

// next returns the first record of b, without its length field.
func next(b []byte) (*record, int, error) {
	n, err := frame.ZooKeeper(b)
	if err != nil {
		return nil, 0, err
	}
	return &record{b: b[4:n]}, n, nil
}

func (d *Decoder) request(b []byte) (wire.Message, int, error) {
	r, n, err := next(b)
	if err != nil {
		return wire.Message{}, 0, err
	}
	if !d.connects {
		version, zxid, timeout, session := r.int(), r.long(), r.int(), r.long()
		if r.bad || version != 0 {
			return wire.Message{}, 0, errNotJute
		}
		d.connects = true
		return wire.Message{Name: "connect", Text: fmt.Sprintf("session 0x%x, timeout %d ms, last zxid 0x%x", uint64(session), timeout, uint64(zxid))}, n, nil
	}
	xid, op := r.int(), r.int()
	text, ok := request(op, r)
	if !ok || r.bad {
		return wire.Message{}, 0, errNotJute
	}
	m := wire.Message{Name: names(op), Text: text}
	if xid >= 0 && len(d.asked) < mostAsked {
		d.asked[xid] = ask{op, m.String()}
	}
	return m, n, nil
}

// The numbers of replies that answer no request, or that are answered in order.
const (
	xidEvent = -1
	xidPing  = -2
	xidAuth  = -4
	xidWatch = -8
)

func (d *Decoder) reply(b []byte) (wire.Message, int, error) {
	r, n, err := next(b)
	if err != nil {
		return wire.Message{}, 0, err
	}
	if !d.answers {
		r.int()
		timeout, session := r.int(), r.long()
		if r.bad {
			return wire.Message{}, 0, errNotJute
		}
		d.answers = true
		return wire.Message{Name: "connected", Text: fmt.Sprintf("session 0x%x, timeout %d ms", uint64(session), timeout), Of: "connect"}, n, nil
	}
	xid, zxid, code := r.int(), r.long(), r.int()
	if r.bad {
		return wire.Message{}, 0, errNotJute
	}
	switch xid {
	case xidEvent:
		m := wire.Message{Name: "event", Text: event(r)}
		if r.bad {
			return m, 0, errNotJute
		}
		return m, n, nil
	case xidPing:
		return wire.Message{Name: "pong"}, n, nil
	case xidAuth, xidWatch:
		return wire.Message{Name: outcome(code), Of: map[int32]string{xidAuth: "auth", xidWatch: "setWatches"}[xid]}, n, nil
	}
	was, known := d.asked[xid]
	delete(d.asked, xid)
	m := wire.Message{Name: outcome(code), Text: fmt.Sprintf("zxid 0x%x", uint64(zxid)), Of: was.text}
	if !known && code == 0 {
		m.Text += fmt.Sprintf(", %d bytes", len(r.b))
		return m, n, nil
	}
	body := ""
	if code == 0 || was.op == opMulti {
		body = reply(was.op, r)
	}
	if r.bad {
		return m, 0, errNotJute
	}
	m.Text = strings.TrimSpace(body + " " + m.Text)
	return m, n, nil
}

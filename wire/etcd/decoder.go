// Package etcd decodes the traffic of etcd: gRPC in HTTP/2. It does without etcd's definitions of the
// messages, which package protocols has.
//
// # Reading order
//
// decoder.go, frames.go, messages.go, calls.go.
package etcd

import (
	"bytes"
	"fmt"
	"path"
	"strconv"
	"strings"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"locktorture/wire"
	"locktorture/wire/frame"
)

// A Decoder decodes one connection. Frames without a message of etcd are control messages.
type Decoder struct {
	sides   [2]*side // of requests and replies
	streams map[uint32]*stream
	begun   bool // the client's preface was seen or is missing
	text    func(method string, reply bool, b []byte) string
}

// A side is one direction.
type side struct {
	wire.Stream
	packed *hpack.Decoder
	broken bool // headers cannot be read any more
}

// A stream is a call.
type stream struct {
	method string // "/etcdserverpb.KV/Range"
	asked  string // the last request
	ended  [2]bool
	kept   [2][]byte // incomplete message of each direction
}

// mostStreams bounds the number of calls that are remembered.
const mostStreams = 10_000

var _ wire.Decoder = (*Decoder)(nil)

// New returns a decoder for a connection at its start. text returns the text of a message, which is
// not compressed.
func New(text func(method string, reply bool, b []byte) string) *Decoder {
	d := &Decoder{sides: [2]*side{{}, {Stream: wire.Replies()}}, streams: map[uint32]*stream{}, text: text}
	for _, s := range d.sides {
		s.packed = hpack.NewDecoder(4096, nil)
	}
	return d
}

func index(reply bool) int {
	if reply {
		return 1
	}
	return 0
}

// Decode implements wire.Decoder.
func (d *Decoder) Decode(reply bool, data []byte) []wire.Message {
	return d.sides[index(reply)].Cut(data, func(b []byte) (wire.Message, int, error) { return d.frame(reply, b) })
}

// Gap implements wire.Decoder. Headers whose tables are missing cannot be read; the headers of a
// tape need no tables.
func (d *Decoder) Gap() {
	for _, s := range d.sides {
		s.Forget()
	}
	d.begun = true
	clear(d.streams)
}

func (d *Decoder) frame(reply bool, b []byte) (wire.Message, int, error) {
	if !reply && !d.begun {
		preface := []byte(http2.ClientPreface)
		switch {
		case len(b) < len(preface) && bytes.HasPrefix(preface, b):
			return wire.Message{}, 0, wire.ErrShort
		case !bytes.HasPrefix(b, preface):
			return wire.Message{}, 0, errNotHTTP2
		}
		d.begun = true
		return wire.Message{Name: "preface", Control: true}, len(preface), nil
	}
	n, err := frame.HTTP2(b)
	if err != nil {
		return wire.Message{}, 0, err
	}
	s := d.sides[index(reply)]
	if s.broken && http2.FrameType(b[3]) == http2.FrameHeaders {
		return wire.RawOf(reply, b[:n]), n, nil
	}
	f, err := s.read(b[:n])
	if err != nil {
		s.broken = s.broken || http2.FrameType(b[3]) == http2.FrameHeaders
		return wire.RawOf(reply, b[:n]), n, nil
	}
	return d.read(reply, f), n, nil
}

// read returns a frame as a message.
func (d *Decoder) read(reply bool, f http2.Frame) wire.Message {
	id := f.Header().StreamID
	switch f := f.(type) {
	case *http2.MetaHeadersFrame:
		return d.headers(reply, f)
	case *http2.DataFrame:
		return d.data(reply, id, f.Data(), f.StreamEnded())
	case *http2.RSTStreamFrame:
		m := wire.Message{Name: "cancel", Text: f.ErrCode.String()}
		if s := d.streams[id]; s != nil {
			m.Text, m.Of = strings.TrimSpace(path.Base(s.method)+" "+m.Text), s.asked
			delete(d.streams, id)
		}
		return m
	case *http2.GoAwayFrame:
		return wire.Message{Name: "goaway", Text: f.ErrCode.String()}
	}
	return wire.Message{Name: "http2", Text: strings.ToLower(f.Header().Type.String()), Control: true}
}

// headers starts a call or ends one.
func (d *Decoder) headers(reply bool, f *http2.MetaHeadersFrame) wire.Message {
	id := f.StreamID
	s := d.streams[id]
	if !reply {
		s = &stream{method: wire.Word(f.PseudoValue("path"))}
		if len(d.streams) < mostStreams {
			d.streams[id] = s
		}
		return wire.Message{Name: "call", Text: fmt.Sprintf("%s (stream %d)", s.method, id), Control: true}
	}
	m := wire.Message{Name: "status", Control: true}
	for _, h := range f.RegularFields() {
		switch h.Name {
		case "grpc-status":
			m.Text = wire.Word(h.Value) + " " + m.Text
			m.Control = h.Value == "0"
			if code, err := strconv.Atoi(h.Value); err == nil && code != 0 {
				m.Name = "error"
			}
		case "grpc-message":
			m.Text += wire.Word(h.Value)
		}
	}
	m.Text = strings.TrimSpace(m.Text)
	if s != nil {
		m.Of = s.asked
	}
	d.over(reply, id, f.StreamEnded())
	return m
}

// over forgets a call that has ended on both sides, or that its server has ended.
func (d *Decoder) over(reply bool, id uint32, ended bool) {
	s := d.streams[id]
	if s == nil || !ended {
		return
	}
	if s.ended[index(reply)] = true; reply {
		delete(d.streams, id)
	}
}

package blank

import (
	"bytes"
	"errors"
	"strings"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"locktorture/wire"
	"locktorture/wire/frame"
)

// An etcdBlanker blanks a connection to etcd: gRPC, or the HTTP gateway.
type etcdBlanker struct {
	start frame.EtcdStart
	Blanker
}

// Blank implements Blanker.
func (e *etcdBlanker) Blank(reply bool, data []byte) []byte {
	if data = e.start.Take(reply, data); len(data) == 0 {
		return nil
	}
	if e.Blanker == nil {
		if e.Blanker = newEtcd(); e.start.HTTP1 {
			e.Blanker = newHTTP()
		}
	}
	return e.Blanker.Blank(reply, data)
}

// newEtcd blanks the contents of Authenticate and related calls, and the token of every other call.
// Tokens are in headers, which are compressed with a table of earlier headers, so headers are
// written anew without a table. A recording without its start can therefore be read as well.
func newEtcd() Blanker {
	e := &etcd{secret: map[uint32]bool{}}
	requests, replies := hpack.NewDecoder(4096, nil), hpack.NewDecoder(4096, nil)
	return pair{
		&framed{size: e.requestSize, clean: func(m []byte) []byte { return e.clean(m, requests) }},
		&framed{size: frame.HTTP2, clean: func(m []byte) []byte { return e.clean(m, replies) }},
	}
}

type etcd struct {
	begun  bool
	broken bool            // headers cannot be read: all later data is blanked
	secret map[uint32]bool // calls with secrets
}

func (e *etcd) requestSize(b []byte) (int, error) {
	if e.begun {
		return frame.HTTP2(b)
	}
	preface := []byte(http2.ClientPreface)
	switch {
	case len(b) < len(preface) && bytes.HasPrefix(preface, b):
		return 0, wire.ErrShort
	case bytes.HasPrefix(b, preface):
		return len(preface), nil
	}
	return 0, errors.New("no begin of HTTP/2")
}

func (e *etcd) clean(m []byte, packed *hpack.Decoder) []byte {
	if !e.begun && bytes.HasPrefix(m, []byte(http2.ClientPreface)) {
		e.begun = true
		return m
	}
	if e.broken {
		return stars(m, 0)
	}
	f := http2.NewFramer(nil, bytes.NewReader(m))
	f.SetMaxReadFrameSize(frame.Longest)
	f.ReadMetaHeaders = packed
	read, err := f.ReadFrame()
	if err != nil {
		e.broken = true
		return stars(m, 0)
	}
	switch read := read.(type) {
	case *http2.MetaHeadersFrame:
		return e.headers(read)
	case *http2.DataFrame:
		if e.secret[read.StreamID] {
			return stars(m, frame.HTTP2Head)
		}
	case *http2.RSTStreamFrame:
		delete(e.secret, read.StreamID)
	}
	return m
}

// headers writes the headers of a frame anew.
func (e *etcd) headers(f *http2.MetaHeadersFrame) []byte {
	if strings.HasPrefix(f.PseudoValue("path"), "/etcdserverpb.Auth/") {
		e.secret[f.StreamID] = true
	}
	var block, out bytes.Buffer
	packer := hpack.NewEncoder(&block)
	packer.SetMaxDynamicTableSize(0)
	for _, h := range f.Fields {
		if h.Name == "token" || h.Name == "authorization" {
			h.Value = strings.Repeat(string(rune(Blank)), len(h.Value))
		}
		if err := packer.WriteField(h); err != nil {
			e.broken = true
			return nil
		}
	}
	err := http2.NewFramer(&out, nil).WriteHeaders(http2.HeadersFrameParam{
		StreamID: f.StreamID, BlockFragment: block.Bytes(), EndStream: f.StreamEnded(), EndHeaders: true,
	})
	if err != nil {
		e.broken = true
		return nil
	}
	return out.Bytes()
}

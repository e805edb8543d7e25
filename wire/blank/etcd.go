package blank

import (
	"bytes"
	"strings"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// newEtcd blanks what Authenticate and its kin say and are told, and the token of every other
// call. Tokens stand in headers, which are packed by a table of what was said before: so
// headers are written anew, without a table. That also lets a recording be read whose begin is
// gone.
func newEtcd() Blanker {
	e := &etcd{secret: map[uint32]bool{}}
	requests, replies := hpack.NewDecoder(4096, nil), hpack.NewDecoder(4096, nil)
	return pair{
		&framed{size: e.requestSize, clean: func(m []byte) []byte { return e.clean(m, requests) }},
		&framed{size: frameSize, clean: func(m []byte) []byte { return e.clean(m, replies) }},
	}
}

type etcd struct {
	begun  bool
	broken bool            // headers cannot be read: nothing is told any more
	secret map[uint32]bool // calls that have secrets
}

const http2Head = 9

func (e *etcd) requestSize(b []byte) int {
	if e.begun {
		return frameSize(b)
	}
	preface := []byte(http2.ClientPreface)
	switch {
	case len(b) < len(preface) && bytes.HasPrefix(preface, b):
		return 0
	case bytes.HasPrefix(b, preface):
		return len(preface)
	}
	return -1
}

// frameSize returns the size of a frame together with its continuation frames, in bytes.
func frameSize(b []byte) int {
	total := 0
	for {
		rest := b[total:]
		if len(rest) < http2Head {
			return 0
		}
		n := http2Head + (int(rest[0])<<16 | int(rest[1])<<8 | int(rest[2]))
		kind, flags := http2.FrameType(rest[3]), http2.Flags(rest[4])
		if total > 0 && kind != http2.FrameContinuation || total > longestFrame || kind == http2.FramePushPromise {
			return -1
		}
		if len(rest) < n {
			return 0
		}
		total += n
		if kind != http2.FrameHeaders && kind != http2.FrameContinuation || flags.Has(http2.FlagHeadersEndHeaders) {
			return total
		}
	}
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
	f.SetMaxReadFrameSize(longestFrame)
	f.ReadMetaHeaders = packed
	frame, err := f.ReadFrame()
	if err != nil {
		e.broken = true
		return stars(m, 0)
	}
	switch frame := frame.(type) {
	case *http2.MetaHeadersFrame:
		return e.headers(frame)
	case *http2.DataFrame:
		if e.secret[frame.StreamID] {
			return stars(m, http2Head)
		}
	case *http2.RSTStreamFrame:
		delete(e.secret, frame.StreamID)
	}
	return m
}

// headers writes them anew.
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

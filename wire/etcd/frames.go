package etcd

import (
	"bytes"
	"errors"

	"golang.org/x/net/http2"

	"locktorture/wire"
)

var errNotHTTP2 = errors.New("not HTTP/2")

const (
	frameHead    = 9
	longestFrame = 1 << 20
)

// size returns how many bytes the frame at the begin of b takes, with the frames that continue
// it.
func size(b []byte) (int, error) {
	total := 0
	for {
		rest := b[total:]
		if len(rest) < frameHead {
			return 0, wire.ErrShort
		}
		n := int(rest[0])<<16 | int(rest[1])<<8 | int(rest[2])
		kind, flags := http2.FrameType(rest[3]), http2.Flags(rest[4])
		switch {
		case n > longestFrame || kind > http2.FrameContinuation, total > 0 && kind != http2.FrameContinuation, total > longestFrame:
			return 0, errNotHTTP2
		case len(rest) < frameHead+n:
			return 0, wire.ErrShort
		}
		total += frameHead + n
		open := kind == http2.FrameHeaders || kind == http2.FrameContinuation
		if !open || flags.Has(http2.FlagHeadersEndHeaders) {
			return total, nil
		}
	}
}

// read reads a whole frame. The side keeps what its headers are packed by.
func (s *side) read(frame []byte) (http2.Frame, error) {
	f := http2.NewFramer(nil, bytes.NewReader(frame))
	f.SetMaxReadFrameSize(longestFrame)
	f.ReadMetaHeaders = s.packed
	return f.ReadFrame()
}

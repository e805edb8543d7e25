package etcd

import (
	"bytes"
	"errors"

	"golang.org/x/net/http2"

	"locktorture/wire/frame"
)

var errNotHTTP2 = errors.New("not HTTP/2")

// read reads a whole frame. The side keeps the tables for later headers.
func (s *side) read(b []byte) (http2.Frame, error) {
	f := http2.NewFramer(nil, bytes.NewReader(b))
	f.SetMaxReadFrameSize(frame.Longest)
	f.ReadMetaHeaders = s.packed
	return f.ReadFrame()
}

// Package frame finds the ends of messages, for each protocol that is recorded. Its functions
// return the length of the first message of b, wire.ErrShort if the message is incomplete, and
// another error if b does not start with a message. Blanking and decoding use the same functions,
// so that both cut alike.
package frame

import (
	"bytes"
	"encoding/binary"
	"errors"

	"golang.org/x/net/http2"

	"locktorture/internal/resp"
	"locktorture/wire"
)

// Longest bounds a message, in bytes.
const Longest = 4 << 20

var errNone = errors.New("no message of this protocol")

// whole returns n if b holds a message of n bytes.
func whole(b []byte, n int) (int, error) {
	switch {
	case n > Longest:
		return 0, errNone
	case len(b) < n:
		return 0, wire.ErrShort
	}
	return n, nil
}

// Redis returns the length of a command.
func Redis(b []byte) (int, error) {
	n, _, err := resp.Command(b)
	if errors.Is(err, resp.ErrShort) {
		return 0, wire.ErrShort
	}
	return n, err
}

// Postgres returns the length of a message whose length field follows after this number of bytes.
func Postgres(b []byte, head int) (int, error) {
	if len(b) < head+4 {
		return 0, wire.ErrShort
	}
	n := int(binary.BigEndian.Uint32(b[head:]))
	if n < 4 {
		return 0, errNone
	}
	return whole(b, head+n)
}

// MariaDBHead is the number of bytes before the payload of a packet.
const MariaDBHead = 4

// MariaDB returns the length of a packet, which may be empty.
func MariaDB(b []byte) (int, error) {
	if len(b) < MariaDBHead {
		return 0, wire.ErrShort
	}
	return whole(b, MariaDBHead+(int(b[0])|int(b[1])<<8|int(b[2])<<16))
}

// ZooKeeper returns the length of a record.
func ZooKeeper(b []byte) (int, error) {
	if len(b) < 4 {
		return 0, wire.ErrShort
	}
	n := int(binary.BigEndian.Uint32(b))
	if n < 8 {
		return 0, errNone
	}
	return whole(b, 4+n)
}

// HTTP2Head is the number of bytes before the payload of an HTTP/2 frame.
const HTTP2Head = 9

// HTTP2 returns the length of a frame of HTTP/2 with its continuation frames. Frames of server
// pushes are not supported.
func HTTP2(b []byte) (int, error) {
	total := 0
	for {
		rest := b[min(total, len(b)):]
		if len(rest) < HTTP2Head {
			return 0, wire.ErrShort
		}
		kind, flags := http2.FrameType(rest[3]), http2.Flags(rest[4])
		if kind > http2.FrameContinuation || kind == http2.FramePushPromise || total > 0 && kind != http2.FrameContinuation {
			return 0, errNone
		}
		total += HTTP2Head + (int(rest[0])<<16 | int(rest[1])<<8 | int(rest[2]))
		open := kind == http2.FrameHeaders || kind == http2.FrameContinuation
		if n, err := whole(b, total); err != nil || !open || flags.Has(http2.FlagHeadersEndHeaders) {
			return n, err
		}
	}
}

// An EtcdStart finds out whether a connection to etcd speaks HTTP/2, as gRPC does, or HTTP/1, as
// clients of its gateway do.
type EtcdStart struct {
	Known, HTTP1 bool
	rest         [2][]byte
}

// Take adds data of one direction and returns all that is there of it, or nil while the protocol is
// not known.
func (s *EtcdStart) Take(reply bool, data []byte) []byte {
	rest := &s.rest[0]
	if reply {
		rest = &s.rest[1]
	}
	if len(*rest) > 0 {
		data = append(*rest, data...)
	}
	if !s.Known && len(data) > 0 {
		s.Known, s.HTTP1 = true, false
		for _, begin := range []string{"GET ", "POST ", "PUT ", "DELETE ", "HEAD ", "OPTIONS ", "HTTP/1."} {
			n := min(len(begin), len(data))
			if like := string(data[:n]) == begin[:n]; like {
				s.HTTP1, s.Known = true, n == len(begin)
			}
		}
	}
	if *rest = nil; !s.Known {
		*rest = bytes.Clone(data)
		return nil
	}
	return data
}

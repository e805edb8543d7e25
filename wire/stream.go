package wire

import (
	"errors"
	"slices"
)

// ErrShort is returned by a parser whose message is not complete yet.
var ErrShort = errors.New("incomplete")

// longestMessage bounds what a stream keeps of an incomplete message.
const longestMessage = 16 << 20

// A Stream is one direction of a connection on its way into messages. The zero Stream is at
// its begin.
type Stream struct {
	rest  []byte
	reply bool
}

// Replies returns a stream of a server's replies.
func Replies() Stream { return Stream{reply: true} }

// Cut adds data and cuts off what is complete. parse returns the message at the begin of b and
// how many bytes it takes, or ErrShort. With any other error all that is there is shown as
// bytes.
func (s *Stream) Cut(data []byte, parse func(b []byte) (Message, int, error)) (out []Message) {
	s.rest = append(s.rest, data...)
	for len(s.rest) > 0 {
		m, n, err := parse(s.rest)
		switch {
		case errors.Is(err, ErrShort) && len(s.rest) <= longestMessage:
			s.shrink()
			return out
		case err != nil || n <= 0 || n > len(s.rest):
			out = append(out, RawOf(s.reply, s.rest))
			s.Forget()
			return out
		}
		m.Reply, m.Size = s.reply, n
		out, s.rest = append(out, m), s.rest[n:]
	}
	s.shrink()
	return out
}

// shrink keeps no more memory than what is left.
func (s *Stream) shrink() {
	if cap(s.rest) > 2*len(s.rest)+4096 {
		s.rest = slices.Clip(slices.Clone(s.rest))
	}
	if len(s.rest) == 0 {
		s.rest = nil
	}
}

// Kept returns the number of bytes that wait for the rest of their message.
func (s *Stream) Kept() int { return len(s.rest) }

// Forget drops what waits for its rest.
func (s *Stream) Forget() { s.rest = nil }

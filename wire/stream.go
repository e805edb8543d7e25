package wire

import (
	"errors"
	"slices"
)

// ErrShort is returned by a parser whose message is incomplete.
var ErrShort = errors.New("incomplete")

// longestMessage bounds the kept part of an incomplete message, in bytes.
const longestMessage = 16 << 20

// A Stream cuts one direction of a connection into messages. The zero Stream is at its start.
type Stream struct {
	rest   []byte
	reply  bool
	broken bool // some data could not be cut into messages
}

// Replies returns a stream of a server's replies.
func Replies() Stream { return Stream{reply: true} }

// Cut adds data and returns the messages that are complete. parse returns the first message of b
// and its length, or ErrShort. After any other error, all data is shown as bytes.
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
			s.broken = true
			s.Forget()
			return out
		}
		m.Reply, m.Size = s.reply, n
		out, s.rest = append(out, m), s.rest[n:]
	}
	s.shrink()
	return out
}

// shrink releases memory that the remaining data does not need.
func (s *Stream) shrink() {
	if cap(s.rest) > 2*len(s.rest)+4096 {
		s.rest = slices.Clip(slices.Clone(s.rest))
	}
	if len(s.rest) == 0 {
		s.rest = nil
	}
}

// Kept returns the number of bytes of the incomplete message.
func (s *Stream) Kept() int { return len(s.rest) }

// Forget drops the incomplete message.
func (s *Stream) Forget() { s.rest = nil }

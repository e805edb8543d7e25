package blank

import (
	"bytes"
	"errors"

	"locktorture/wire"
	"locktorture/wire/frame"
)

// errSecured is returned where TLS starts.
var errSecured = errors.New("encrypted")

// A framed splits one direction of a protocol whose messages contain their length. It passes a
// message on only when it is complete, so that every part was inspected before it is written. Data
// that is no message, and all data after it, is blanked.
type framed struct {
	rest   []byte
	broken bool
	// size returns the length of the first message of b, like the functions of package frame.
	size func(b []byte) (int, error)
	// clean returns a message without secrets. The function may change the message.
	clean func(message []byte) []byte
}

func (f *framed) blank(data []byte) []byte {
	if f.broken {
		return all{}.Blank(false, data)
	}
	f.rest = append(f.rest, data...)
	var out []byte
	for len(f.rest) > 0 {
		n, err := f.size(f.rest)
		if errors.Is(err, wire.ErrShort) && len(f.rest) <= frame.Longest {
			break
		}
		if err != nil {
			f.broken = true
			out = append(out, all{}.Blank(false, f.rest)...)
			f.rest = nil
			return out
		}
		out = append(out, f.clean(bytes.Clone(f.rest[:n]))...)
		f.rest = f.rest[n:]
	}
	if len(f.rest) == 0 {
		f.rest = nil
	}
	return out
}

// stars blanks the end of a message, from a byte on.
func stars(message []byte, from int) []byte {
	for i := min(from, len(message)); i < len(message); i++ {
		message[i] = Blank
	}
	return message
}

// A pair blanks each direction with a function of its own. A direction whose function is nil has no
// secrets.
type pair struct{ requests, replies *framed }

func (p pair) Blank(reply bool, data []byte) []byte {
	f := p.requests
	if reply {
		f = p.replies
	}
	if f == nil {
		return data
	}
	return f.blank(data)
}

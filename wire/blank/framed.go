package blank

import (
	"bytes"
	"errors"

	"locktorture/wire"
	"locktorture/wire/frame"
)

// errSecured is returned where what follows is TLS.
var errSecured = errors.New("encrypted")

// A framed takes one direction of a protocol whose messages tell their length. It lets a
// message go when it is complete, so that nothing of it is written before it was looked at.
// What is no message, and all that follows, is blanked.
type framed struct {
	rest   []byte
	broken bool
	// size returns how many bytes the message at the begin of b takes, as package frame does.
	size func(b []byte) (int, error)
	// clean returns what may be written of a message, which is the function's own.
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

// stars blanks a message from a byte on.
func stars(message []byte, from int) []byte {
	for i := min(from, len(message)); i < len(message); i++ {
		message[i] = Blank
	}
	return message
}

// A pair blanks two directions, each in its way; one that is nil has no secrets.
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

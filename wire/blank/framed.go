package blank

import "bytes"

// longestFrame bounds what is kept of an incomplete message.
const longestFrame = 4 << 20

// A framed takes one direction of a protocol whose messages tell their length. It lets a
// message go when it is complete, so that nothing of it is written before it was looked at.
// What is no message, and all that follows, is blanked.
type framed struct {
	rest   []byte
	broken bool
	// size is the number of bytes of the message at the begin of b; 0: that is not known yet, -1: it is none.
	size func(b []byte) int
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
		n := f.size(f.rest)
		if n < 0 || n > longestFrame {
			f.broken = true
			out = append(out, all{}.Blank(false, f.rest)...)
			f.rest = nil
			return out
		}
		if n == 0 || n > len(f.rest) {
			break
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

package blank

import "bytes"

// newConsul blanks the token of Consul in what a client says: in a header, and as part of an
// address.
func newConsul() Blanker { return &consul{} }

type consul struct {
	line   []byte // the begin of the line, in small letters
	hidden bool   // the rest of the line is blanked
	query  bool   // a part of an address is
}

// longestHeader is how much of a line is looked at for the name of a header; addresses are
// looked at whole.
const longestHeader = 32

func secretHeaders() [][]byte {
	return [][]byte{[]byte("x-consul-token:"), []byte("authorization:"), []byte("cookie:")}
}

func (c *consul) Blank(reply bool, data []byte) []byte {
	if reply {
		return data
	}
	out := &cover{data: data}
	for i, b := range data {
		switch {
		case b == '\n':
			c.line, c.hidden, c.query = c.line[:0], false, false
			continue
		case b == '\r':
			continue
		case c.query && (b == '&' || b == ' '):
			c.query = false
		case c.hidden || c.query:
			out.blank(i, i+1)
			continue
		}
		if b >= 'A' && b <= 'Z' {
			b += 'a' - 'A'
		}
		c.look(b)
	}
	return out.data
}

// look takes a character of a line.
func (c *consul) look(b byte) {
	if len(c.line) >= 4*longestHeader { // its end is enough to find a part of an address
		c.line = append(c.line[:longestHeader], c.line[len(c.line)-longestHeader:]...)
	}
	c.line = append(c.line, b)
	for _, h := range secretHeaders() {
		if bytes.Equal(c.line, h) {
			c.hidden = true
		}
	}
	c.query = bytes.HasSuffix(c.line, []byte("?token=")) || bytes.HasSuffix(c.line, []byte("&token="))
}

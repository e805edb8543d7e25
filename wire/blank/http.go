package blank

import "bytes"

// newHTTP blanks what lets a client of Consul or of an object store in, in what it says: in a
// header, and as part of an address.
func newHTTP() Blanker { return &http{} }

type http struct {
	line   []byte // the begin of the line, in small letters
	hidden bool   // the rest of the line is blanked
	query  bool   // a part of an address is
}

// longestHeader is how much of a line is looked at for the name of a header; addresses are
// looked at whole.
const longestHeader = 32

func secretHeaders() [][]byte {
	return [][]byte{[]byte("x-consul-token:"), []byte("authorization:"), []byte("cookie:"), []byte("x-amz-security-token:")}
}

// secretParts returns the parts of an address that are blanked.
func secretParts() [][]byte {
	return [][]byte{[]byte("token="), []byte("x-amz-signature="), []byte("x-amz-credential="), []byte("x-amz-security-token=")}
}

func (c *http) Blank(reply bool, data []byte) []byte {
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
func (c *http) look(b byte) {
	if len(c.line) >= 4*longestHeader { // its end is enough to find a part of an address
		c.line = append(c.line[:longestHeader], c.line[len(c.line)-longestHeader:]...)
	}
	c.line = append(c.line, b)
	for _, h := range secretHeaders() {
		if bytes.Equal(c.line, h) {
			c.hidden = true
		}
	}
	for _, p := range secretParts() {
		if before, ok := bytes.CutSuffix(c.line, p); ok && (bytes.HasSuffix(before, []byte("?")) || bytes.HasSuffix(before, []byte("&"))) {
			c.query = true
		}
	}
}

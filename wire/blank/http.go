package blank

import "bytes"

// newHTTP blanks the credentials in the requests to Consul or an object store: in headers, and in
// parts of an address.
func newHTTP() Blanker { return &http{} }

type http struct {
	line   []byte // start of the line, in lower case
	hidden bool   // the rest of the line is blanked
	query  bool   // a part of an address is blanked
}

// longestHeader bounds the part of a line that is searched for the name of a header. Addresses are
// searched completely.
const longestHeader = 32

func secretHeaders() [][]byte {
	return [][]byte{[]byte("x-consul-token:"), []byte("authorization:"), []byte("cookie:"), []byte("x-amz-security-token:")}
}

// secretParts lists the parts of an address that are blanked.
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

// look adds a character of a line.
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

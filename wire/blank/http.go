package blank

import "bytes"

// newHTTP blanks the credentials in requests over HTTP: in headers, and in parts of an address. What
// etcd's gateway is told after a login, and the login, is blanked as a whole.
func newHTTP() Blanker { return &http{} }

type http struct {
	line   []byte // start of the line, in lower case
	hidden bool   // the rest of the line is blanked
	query  bool   // a part of an address is blanked
	shut   bool   // all is blanked: the connection has carried a login of etcd's gateway
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
	out := &cover{data: data}
	if reply && !c.shut {
		return data
	}
	for i, b := range data {
		switch {
		case c.shut:
			out.blank(i, i+1)
			continue
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
	for _, version := range []string{"v3", "v3beta", "v3alpha"} {
		c.shut = c.shut || bytes.HasSuffix(c.line, []byte("post /"+version+"/auth/"))
	}
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

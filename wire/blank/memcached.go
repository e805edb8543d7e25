package blank

import (
	"bytes"
	"strconv"
	"strings"
)

// newMemcached blanks the value of the first command of a connection. With authentication, this
// command is a set whose value is the login.
func newMemcached() Blanker { return &memcached{} }

type memcached struct {
	line   []byte
	hidden int  // bytes that remain to be blanked
	first  bool // the first command was seen
}

// longestFirst bounds the length of the first command's line.
const longestFirst = 8 << 10

func (c *memcached) Blank(reply bool, data []byte) []byte {
	if reply || c.first && c.hidden == 0 {
		return data
	}
	out := &cover{data: data}
	at := 0
	if !c.first {
		end := bytes.IndexByte(data, '\n') + 1
		if end == 0 {
			if c.line = append(c.line, data...); len(c.line) > longestFirst {
				c.first = true
			}
			return data
		}
		c.line = append(c.line, data[:end]...)
		c.hidden, c.first, at = valueOf(string(c.line)), true, end
		c.line = nil
	}
	n := min(c.hidden, len(data)-at)
	out.blank(at, at+n)
	c.hidden -= n
	return out.data
}

// valueOf returns the number of bytes that follow the line of a set.
func valueOf(line string) int {
	words := strings.Fields(line)
	if len(words) < 5 || words[0] != "set" {
		return 0
	}
	n, err := strconv.Atoi(words[4])
	if err != nil || n < 0 {
		return 0
	}
	return n
}

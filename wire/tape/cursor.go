package tape

import (
	"errors"
	"io"
)

// A cursor reads the events of one link.
type cursor struct {
	reader *Reader
	link   int
	left   []place
	next   uint32 // index of the expected block

	rest    []byte // rest of the block
	time    int64
	process int

	event Event
	err   error
}

func newCursor(r *Reader, link int) *cursor {
	return &cursor{reader: r, link: link, left: r.blocks[link]}
}

// advance moves to the next event, and returns false if there is none. If err is set, the event is
// not valid.
func (c *cursor) advance() bool {
	for {
		if len(c.rest) == 0 {
			gap, more := c.load()
			if !more {
				return false
			}
			if gap || c.err != nil {
				c.event = Event{Time: c.time, Link: c.link, Kind: Gap}
				return true
			}
			continue
		}
		e, rest, err := readRecord(c.rest)
		if err != nil {
			c.rest = nil
			c.event = Event{Time: c.time, Link: c.link, Kind: Gap}
			return true
		}
		c.rest = rest
		c.time += min(e.Time, 1<<62-c.time)
		if e.Kind == turn {
			c.process = e.Process
			continue
		}
		e.Time, e.Link, e.Process = c.time, c.link, c.process
		c.event = e
		return true
	}
}

// load reads the next block. It reports whether a block before it is missing.
func (c *cursor) load() (gap, more bool) {
	if len(c.left) == 0 {
		return false, false
	}
	p := c.left[0]
	c.left = c.left[1:]
	b := make([]byte, blockSize)
	n, err := c.reader.from.ReadAt(b, p.at)
	if err != nil && !errors.Is(err, io.EOF) {
		c.err = err
		return false, true
	}
	h, ok := decodeHeader(b[:n])
	if !ok || int(h.link) != c.link { // the block is being written
		return true, true
	}
	gap = h.index != c.next
	c.next = h.index + 1
	c.rest = b[blockHead:min(n, blockHead+int(h.used))]
	c.time, c.process = max(c.time, min(h.base, 1<<62)), int(h.process)
	return gap, true
}

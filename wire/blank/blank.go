package blank

import "bytes"

// A Blanker takes the secrets out of one connection, from its begin. It is used by one goroutine at a time.
type Blanker interface {
	// Blank returns what may be written of the data of one direction. It does not change data.
	Blank(reply bool, data []byte) []byte
}

// Blank stands for each byte that is not told.
const Blank = '*'

// For returns the blanker of a connection; nil for "", a protocol that has no secrets.
func For(protocol string) Blanker {
	switch protocol {
	case "":
		return nil
	case "redis":
		return &redis{}
	}
	return all{}
}

// all tells nothing.
type all struct{}

func (all) Blank(_ bool, data []byte) []byte { return bytes.Repeat([]byte{Blank}, len(data)) }

// A cover is data that is copied when the first byte of it is blanked.
type cover struct {
	data   []byte
	copied bool
}

func (c *cover) blank(from, to int) {
	if from >= to {
		return
	}
	if !c.copied {
		c.data, c.copied = bytes.Clone(c.data), true
	}
	for i := from; i < to; i++ {
		c.data[i] = Blank
	}
}

package history

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
)

// ErrChanged says that a history is not the one that was recorded.
var ErrChanged = errors.New("the checksum does not fit: the history is not as it was recorded, and nothing can be said of it")

// A Checksum is that of the lines of a history, in their order. That of the end counts without
// the checksum that it carries.
type Checksum struct{ lines hash.Hash }

// NewChecksum returns one that has seen no line.
func NewChecksum() *Checksum { return &Checksum{sha256.New()} }

// Add takes the next line, without its newline.
func (c *Checksum) Add(line []byte) {
	c.lines.Write(line)
	c.lines.Write([]byte{'\n'})
}

// End takes the end of the run, and returns what it must carry.
func (c *Checksum) End(op Op) string {
	op.Sum = ""
	c.Add(op.AppendJSON(nil))
	return hex.EncodeToString(c.lines.Sum(nil))
}

// Check takes the next line and the entry that was read from it. It returns ErrChanged for an
// end whose checksum does not fit; one without a checksum fits.
func (c *Checksum) Check(line []byte, op *Op) error {
	switch {
	case op.F != End:
		c.Add(line)
	case op.Sum == "":
	case !bytes.Equal(line, op.AppendJSON(nil)), c.End(*op) != op.Sum:
		return ErrChanged
	}
	return nil
}

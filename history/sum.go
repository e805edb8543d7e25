package history

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
)

// ErrChanged reports that a history was changed after it was recorded.
var ErrChanged = errors.New("the checksum does not fit: the history is not as it was recorded, and nothing can be said of it")

// A Checksum is computed over the lines of a history, in their order. The last line, which
// carries the checksum, counts without it.
type Checksum struct{ lines hash.Hash }

// NewChecksum returns the checksum of no lines.
func NewChecksum() *Checksum { return &Checksum{sha256.New()} }

// Add takes the next line, without its newline.
func (c *Checksum) Add(line []byte) {
	c.lines.Write(line)
	c.lines.Write([]byte{'\n'})
}

// End adds the last entry, and returns the checksum that it must carry.
func (c *Checksum) End(op Op) string {
	op.Sum = ""
	c.Add(op.AppendJSON(nil))
	return hex.EncodeToString(c.lines.Sum(nil))
}

// Check takes the next line and the entry that was read from it. It returns ErrChanged for an
// end with a wrong checksum. An end without a checksum is accepted.
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

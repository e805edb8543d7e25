package history

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
)

// ErrChanged reports that a history was changed after it was recorded. No verdict on it would be
// meaningful.
var ErrChanged = errors.New("the checksum does not fit: the history was changed after it was recorded, so no verdict is possible")

// A Checksum is computed over the lines of a history in their order. The last line, which carries
// the checksum, is counted without it.
type Checksum struct{ lines hash.Hash }

// NewChecksum returns the checksum of an empty history.
func NewChecksum() *Checksum { return &Checksum{sha256.New()} }

// Add adds the next line, given without its newline.
func (c *Checksum) Add(line []byte) {
	c.lines.Write(line)
	c.lines.Write([]byte{'\n'})
}

// End adds the last entry and returns the checksum that this entry must carry.
func (c *Checksum) End(op Op) string {
	op.Sum = ""
	c.Add(op.AppendJSON(nil))
	return hex.EncodeToString(c.lines.Sum(nil))
}

// Check adds the next line and the entry that was read from it. It returns ErrChanged for an End
// with a wrong checksum. It accepts an End without a checksum, because older histories have none.
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

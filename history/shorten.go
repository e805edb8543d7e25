package history

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxText is the longest text of an entry, in bytes, that others have written:
// error messages of servers and drivers, owners, what a fault did. Values of the store keep
// their length, they are judged.
const maxText = 4 << 10

// shorten cuts the texts of an entry that may come from outside.
func shorten(op *Op) {
	op.Error = shortText(op.Error)
	switch op.F {
	case Acquire, Try, Probe, Fault, Heal, End:
		op.Value = shortText(op.Value)
	}
	for i, h := range op.Holds {
		if len(h.Owner) > maxText {
			op.Holds = slices.Clone(op.Holds)
			op.Holds[i].Owner = shortText(h.Owner)
		}
	}
}

// shortText is a text of at most maxText bytes and a word on how long it was.
// Equal texts stay equal.
func shortText(s string) string {
	if len(s) <= maxText {
		return s
	}
	end := maxText
	for end > maxText-utf8.UTFMax && !utf8.RuneStart(s[end]) {
		end--
	}
	return fmt.Sprintf("%s… (%d bytes)", strings.ToValidUTF8(s[:end], "\ufffd"), len(s))
}

package history

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxText bounds the texts of an entry that originate outside of the harness, in bytes: error
// messages of servers and drivers, owners, effects of faults. Values of the store are never
// shortened, because the checker compares them.
const maxText = 4 << 10

// shorten shortens the texts of an entry that may originate outside of the harness. It copies the
// holds before it changes one, because entries may share them.
func shorten(op *Op) {
	op.Error = shortText(op.Error)
	switch op.F {
	case Acquire, Try, Probe, Fault, Heal, Job, End:
		op.Value = shortText(op.Value)
	}
	for i, h := range op.Holds {
		if len(h.Owner) > maxText {
			op.Holds = slices.Clone(op.Holds)
			op.Holds[i].Owner = shortText(h.Owner)
		}
	}
}

// shortText cuts a text to at most maxText bytes and adds a note on its full length. The results
// for equal texts are equal.
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

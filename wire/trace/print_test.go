package trace

import (
	"strings"
	"testing"
)

// TestNamesAreHarmless: the names of a tape that may be a stranger's are text to a terminal.
func TestNamesAreHarmless(t *testing.T) {
	for _, r := range []Row{{Node: "re\x1b[31mdis", Client: 1}, {From: "a\u202eb", Node: "c\xff"}} {
		var out strings.Builder
		if err := Text(&out, r); err != nil {
			t.Fatal(err)
		}
		if line := strings.TrimSuffix(out.String(), "\n"); strings.ContainsAny(line, "\x1b\u202e\n") || strings.Contains(line, "\xff") {
			t.Errorf("%q", line)
		}
	}
}

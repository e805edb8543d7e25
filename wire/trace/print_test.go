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

// TestTryIsShown: a request says which try of its acquire it belongs to, if there were several.
func TestTryIsShown(t *testing.T) {
	var out strings.Builder
	if err := Text(&out, Row{Event: Message, Text: "SETNX a 1", Try: 2, Tries: 5, Left: 1}); err != nil || !strings.HasSuffix(out.String(), "SETNX a 1  (try 2 of 5)\n") {
		t.Errorf("%q, %v", out.String(), err)
	}
}

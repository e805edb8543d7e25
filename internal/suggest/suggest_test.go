package suggest

import (
	"strings"
	"testing"
)

// TestNearest: a slip of the pen has a name, another word has none, and neither has what is
// longer than any name: its distance would take a megabyte of comparisons.
func TestNearest(t *testing.T) {
	known := []string{"redlock", "redis-set", strings.Repeat("a", longest)}
	for _, tt := range []struct{ name, want string }{
		{"redlok", "redlock"}, {"redis-sett", "redis-set"}, {"zookeeper", ""}, {"", ""},
		{strings.Repeat("a", longest-1), strings.Repeat("a", longest)}, {strings.Repeat("a", longest+1), ""},
	} {
		if got := Nearest(tt.name, known); got != tt.want {
			t.Errorf("nearest to %q is %q, want %q", tt.name, got, tt.want)
		}
	}
}

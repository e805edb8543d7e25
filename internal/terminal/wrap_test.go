package terminal

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWrap(t *testing.T) {
	for _, tt := range []struct {
		text  string
		width int
		want  []string
	}{
		{"", 10, []string{""}},
		{"one two three", 0, []string{"one two three"}},
		{"one two three", 7, []string{"one two", "three"}},
		{"one two three", 6, []string{"one", "two", "three"}},
		{"äöü äöü", 7, []string{"äöü äöü"}},
		{"a longword b", 4, []string{"a", "longword", "b"}},
	} {
		if d := cmp.Diff(tt.want, Wrap(tt.text, tt.width)); d != "" {
			t.Errorf("%q at %d (-want +got):\n%s", tt.text, tt.width, d)
		}
	}
}

// TestTable: a column gives way, the others do not.
func TestTable(t *testing.T) {
	table := Table{{"NAME", "ABOUT", "N"}, {"redlock", "a lock that is kept on five servers of which three must say yes", "17"}, {"x", "", "1"}}
	for width, want := range map[int][]string{
		0:  {"NAME     ABOUT                                                            N", "redlock  a lock that is kept on five servers of which three must say yes  17", "x                                                                         1"},
		40: {"NAME     ABOUT                        N", "redlock  a lock that is kept on five  17", "         servers of which three must", "         say yes", "x                                     1"},
		10: {"NAME     ABOUT         N", "redlock  a lock that   17", "         is kept on", "         five servers", "         of which", "         three must", "         say yes", "x                      1"},
	} {
		if d := cmp.Diff(want, table.Lines(1, width)); d != "" {
			t.Errorf("at %d (-want +got):\n%s", width, d)
		}
	}
}

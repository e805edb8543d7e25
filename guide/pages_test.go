package guide

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// before marks a page whose figures are older than the ledger.
const before = "> **Measured before the ledger**"

// rated matches a row of a table that says how often something was seen.
var rated = regexp.MustCompile(`(?m)^\|.*\b\d+ (of|in) \d+\b.*$|^\|.*\| *(unsafe|safe|fenced) \d+/\d+.*$`)

// TestNoTableByHand fails on a rate in a table that is not computed from the ledger, on a page that does
// not say that it is older.
func TestNoTableByHand(t *testing.T) {
	looked := 0
	for _, pattern := range []string{"README.md", "docs/*.md", "results/*.md", "findings/*.md"} {
		paths, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			looked++
			if strings.Contains(string(text), "\n"+before) {
				continue
			}
			for _, row := range rated.FindAllString(table.ReplaceAllString(string(text), ""), -1) {
				t.Errorf("%s has a rate that no line of the ledger bears out, and does not say %q at its top: %.120s", path, before, row)
			}
		}
	}
	if looked < 40 {
		t.Errorf("only %d pages were looked at", looked)
	}
}

package selftest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSection: a table takes the place of the old one and of nothing else; a file without its
// markers is refused before anything is played.
func TestSection(t *testing.T) {
	path := filepath.Join(t.TempDir(), "page.md")
	put := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := section{"table of mutants"}
	put("what is before\n" + s.begin() + "old row\n" + s.end() + "what follows\n")
	if err := s.check(path); err != nil {
		t.Fatal(err)
	}
	if err := s.write(path, "new row\n"); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(path)
	if want := "what is before\n" + s.begin() + "new row\n" + s.end() + "what follows\n"; err != nil || string(page) != want {
		t.Errorf("the page is now (%v)\n%s", err, page)
	}
	put("no markers\n")
	if err := s.check(path); err == nil || !strings.Contains(err.Error(), "lacks the markers") {
		t.Errorf("a page without markers: %v", err)
	}
}

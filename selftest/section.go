package selftest

import (
	"fmt"
	"os"
	"strings"

	"locktorture/internal/atomicfile"
	"locktorture/internal/exit"
)

// section is what stands in the file of --markdown between the markers of a table.
type section struct{ name string }

func (t section) begin() string {
	return fmt.Sprintf("<!-- %s: written by torture selftest -->\n", t.name)
}
func (t section) end() string { return fmt.Sprintf("<!-- end of %s -->\n", t.name) }

// replaced is a page with another table.
func (t section) replaced(page, table string) (string, error) {
	before, rest, ok := strings.Cut(page, t.begin())
	_, after, closed := strings.Cut(rest, t.end())
	if !ok || !closed {
		return "", fmt.Errorf("the file lacks the markers %s … %s", strings.TrimSpace(t.begin()), strings.TrimSpace(t.end()))
	}
	return before + t.begin() + table + t.end() + after, nil
}

// check tells before anything is run that the table cannot be written.
func (t section) check(path string) error {
	if path == "" {
		return nil
	}
	page, err := os.ReadFile(path)
	if err == nil {
		_, err = t.replaced(string(page), "")
	}
	if err != nil {
		return exit.Usage("--markdown %s: %v", path, err)
	}
	return nil
}

// write puts the table into the file: beside it first, so that it is never half written.
func (t section) write(path, table string) error {
	if path == "" {
		return nil
	}
	page, err := os.ReadFile(path)
	if err != nil {
		return exit.Broken(err)
	}
	text, err := t.replaced(string(page), table)
	if err != nil {
		return exit.Broken(err)
	}
	if err := atomicfile.WriteText(path, text); err != nil {
		return exit.Broken(err)
	}
	return nil
}

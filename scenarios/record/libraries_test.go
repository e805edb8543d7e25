package record

import (
	"os"
	"strings"
	"testing"

	"locktorture/scenarios"
)

// TestLibraries compares what is said of libraries with the versions that are built in and with
// results/README.md. A newer version must be tried before its number is written.
func TestLibraries(t *testing.T) {
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, n := range scenarios.All() {
		for _, c := range n.Findings() {
			f := c.Found
			found++
			if !strings.Contains(string(mod), "\t"+f.Library+" "+f.Version+"\n") {
				t.Errorf("%s: go.mod has another version than %s %s", n.Name, f.Library, f.Version)
			}
			if f.Failure == "" || f.Documented == "" || f.Shown < 1 || f.Of < 20 || f.Shown < f.Of && c.Race == "" {
				t.Errorf("%s: the finding in %s is not told: %v", n.Name, f.Library, f)
			}
			if strings.Contains(f.Failure+f.Documented, "|") {
				t.Errorf("%s: a finding is a cell of a table", n.Name)
			}
		}
	}
	if found < 10 {
		t.Errorf("%d failures of libraries, want those of the list", found)
	}
	page, err := os.ReadFile("../../results/README.md")
	if err != nil {
		t.Fatal(err)
	}
	if want, err := updateLibraries(string(page)); err != nil || want != string(page) {
		t.Errorf("the libraries in results/README.md are not what the scenarios say (%v): make track-record writes them", err)
	}
}

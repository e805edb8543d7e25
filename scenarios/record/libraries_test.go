package record

import (
	"os"
	"strings"
	"testing"

	"locktorture/scenarios"
)

// usedVersion is that of a library which the cases play with: of a Go module, or of what is
// installed; "": it is not.
func usedVersion(t *testing.T, mod, library string) string {
	t.Helper()
	if library == "kazoo" {
		text, err := os.ReadFile("/usr/lib/python3/dist-packages/kazoo/version.py")
		if err != nil {
			return "" // the runtime is not here, and its cases are not played
		}
		version, _, _ := strings.Cut(strings.TrimPrefix(string(text), "__version__ = '"), "'")
		return version
	}
	_, rest, ok := strings.Cut(mod, "\t"+library+" ")
	if !ok {
		t.Fatalf("go.mod has no %s", library)
	}
	version, _, _ := strings.Cut(rest, "\n")
	return version
}

// TestLibraries compares what is said of libraries with the versions that are built in and
// with results/track-record.md. A newer version must be tried before its number is written.
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
			if used := usedVersion(t, string(mod), f.Library); used != "" && used != f.Version {
				t.Errorf("%s: %s is %s here, the finding is of %s", n.Name, f.Library, used, f.Version)
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
	page, err := os.ReadFile("../../results/track-record.md")
	if err != nil {
		t.Fatal(err)
	}
	if want, err := updateLibraries(string(page)); err != nil || want != string(page) {
		t.Errorf("the libraries in results/track-record.md are not what the scenarios say (%v): make track-record writes them", err)
	}
}

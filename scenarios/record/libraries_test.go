package record

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"locktorture/scenarios"
)

// usedVersion returns the version of a library that the cases use: a Go module or an installed
// program; "" if it is missing.
func usedVersion(t *testing.T, mod, library string) string {
	t.Helper()
	const python = "/usr/lib/python3/dist-packages/"
	switch library {
	case "kazoo":
		return quoted(python+"kazoo/version.py", "__version__ = '", "'")
	case "redis-py":
		return quoted(python+"redis-*.egg-info/PKG-INFO", "\nVersion: ", "\n")
	case "tooz":
		return quoted(python+"tooz-*.egg-info/PKG-INFO", "\nVersion: ", "\n")
	case "redlock (npm)":
		return quoted("../../drivers/node/package-lock.json", `"node_modules/redlock": {
      "version": "`, `"`)
	case "pgbouncer", "galera-4", "postgresql": // the distribution mends them without being asked
		return ""
	}
	found := regexp.MustCompile(`\s` + regexp.QuoteMeta(library) + ` (v\S+)`).FindStringSubmatch(mod)
	if found == nil {
		t.Fatalf("no go.mod has %s", library)
	}
	return found[1]
}

// quoted returns what stands between two strings of the file of a pattern; "" without that
// file: the runtime is not here, and its cases are not played.
func quoted(pattern, before, after string) string {
	var text []byte
	if files, _ := filepath.Glob(pattern); len(files) == 1 {
		text, _ = os.ReadFile(files[0])
	}
	_, rest, _ := strings.Cut(string(text), before)
	version, _, _ := strings.Cut(rest, after)
	return version
}

// modules returns the requirements of torture and of the drivers that are modules of their own.
func modules(t *testing.T) string {
	t.Helper()
	files, err := filepath.Glob("../../drivers/go/*/go.mod")
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, file := range append(files, "../../go.mod") {
		mod, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(mod)
	}
	return all.String()
}

// TestLibraries compares what is said of libraries with the versions that are built in. A newer
// version must be tried before its number is written.
func TestLibraries(t *testing.T) {
	mod := modules(t)
	found := 0
	for _, n := range scenarios.All() {
		for _, c := range n.Findings() {
			f := c.Found
			found++
			if used := usedVersion(t, mod, f.Library); used != "" && used != f.Version {
				t.Errorf("%s: %s is %s here, the finding is of %s", n.Name, f.Library, used, f.Version)
			}
			if f.Failure == "" || f.Documented == "" {
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
}

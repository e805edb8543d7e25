package layers

import (
	"bytes"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// mostSums is how many lines the go.sum of a module may have that tests a lock on Redis.
const mostSums = 60

// TestGotestSums fails where a user of package gotest needs the checksums of more modules than that. go mod tidy asks
// for those of what gotest is made of under any build tag, and of what the tests beside each of these packages
// import: a test that imports more has a package of its own (nemesis/nemesistest, cluster/process/processtest).
func TestGotestSums(t *testing.T) {
	sums, err := os.ReadFile(root("examples/gotest/go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(sums, []byte("\n")); n > mostSums {
		t.Errorf("examples/gotest/go.sum has %d lines, %d are allowed", n, mostSums)
	}
	packages := listed(t, "-deps", "-f", "{{if .Module}}{{.ImportPath}}{{end}}", "./gotest")
	own := slices.DeleteFunc(packages, func(p string) bool { return !strings.HasPrefix(p, module) })
	const modules = "{{with .Module}}{{.Path}}{{end}}"
	known := listed(t, "-deps", "-f", modules, "./gotest")
	known = append(known, "github.com/google/go-cmp")
	for _, m := range listed(t, append([]string{"-deps", "-f", modules}, tests(t, own)...)...) {
		if !slices.Contains(known, m) {
			t.Errorf("a test beside a package of which gotest is made imports packages of %s (go mod why -m in examples/gotest says which); give it a package of its own", m)
			known = append(known, m)
		}
	}
}

// tests are what the tests beside packages import.
func tests(t *testing.T, packages []string) []string {
	all := listed(t, append([]string{"-f", `{{join .TestImports "\n"}}{{"\n"}}{{join .XTestImports "\n"}}`}, packages...)...)
	slices.Sort(all)
	return slices.Compact(all)
}

// listed are the words that go list prints, under all build tags of this repository that add imports.
func listed(t *testing.T, args ...string) []string {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-tags", "engine,wasmguests"}, args...)...)
	cmd.Dir = root(".")
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, &said)
	}
	return strings.Fields(string(out))
}

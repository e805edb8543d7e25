package site

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"locktorture/ledger"
)

// library is a module whose Hold is wrong from v1.2.0 until v1.4.0, and which v1.0.0 lacks.
func library(version string) string {
	switch version {
	case "v1.0.0":
		return "package held\n"
	case "v1.2.0", "v1.3.0":
		return "package held\n\nfunc Hold() bool { return true }\n"
	}
	return "package held\n\nfunc Hold() bool { return false }\n"
}

// proxy is a Go module proxy in a folder, with the releases of the library.
func proxy(t *testing.T, module string, versions ...string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "proxy")
	for i, v := range versions {
		mod := "module " + module + "\n"
		var archive bytes.Buffer
		z := zip.NewWriter(&archive)
		for name, text := range map[string]string{"go.mod": mod, "held.go": library(v)} {
			w, err := z.Create(module + "@" + v + "/" + name)
			if err == nil {
				_, err = io.WriteString(w, text)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		at := filepath.Join(dir, module, "@v")
		write(t, filepath.Join(at, v+".mod"), mod)
		write(t, filepath.Join(at, v+".zip"), archive.String())
		write(t, filepath.Join(at, v+".info"), fmt.Sprintf(`{"Version":%q,"Time":"2026-0%d-01T00:00:00Z"}`, v, i+1))
	}
	write(t, filepath.Join(dir, module, "@v", "list"), strings.Join(versions, "\n")+"\n")
	for name, value := range map[string]string{
		"GOPROXY": "file://" + dir, "GONOSUMDB": "*", "GOFLAGS": "-modcacherw", "GOMODCACHE": filepath.Join(t.TempDir(), "modules"),
	} {
		t.Setenv(name, value)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// checkout is one with one finding, about the library.
func checkout(t *testing.T) (root string) {
	t.Helper()
	root = t.TempDir()
	write(t, filepath.Join(root, "go.mod"), "module locktorture\n")
	write(t, filepath.Join(root, "findings", "go.mod"), "module findings\n\ngo 1.24\n\nrequire example.com/held v1.3.0\n")
	write(t, filepath.Join(root, "findings", "go.sum"), "")
	write(t, filepath.Join(root, "findings", "held-twice", "REPORT.md"), "# It is held twice\n\n**Versions.** example.com/held v1.3.0.\n")
	write(t, filepath.Join(root, "findings", "held-twice", "main.go"),
		"package main\n\nimport (\n\t\"os\"\n\n\t\"example.com/held\"\n)\n\nfunc main() {\n\tif held.Hold() {\n\t\tos.Exit(1)\n\t}\n}\n")
	return root
}

// TestReleasesAreTried: with a real module proxy and a real compiler, each release is a line, a second call
// runs nothing, and a changed program makes the lines stale.
func TestReleasesAreTried(t *testing.T) {
	proxy(t, "example.com/held", "v1.0.0", "v1.1.0", "v1.2.0", "v1.3.0", "v1.4.0")
	root := checkout(t)
	all, err := Findings(root)
	if err != nil || len(all) != 1 {
		t.Fatalf("%v, %v", all, err)
	}
	var out, told strings.Builder
	c := Tries{Root: root, Ledger: filepath.Join(root, "ledger"), Commit: "c0ffee", Rounds: 2, Sample: 3, Out: &out, Told: &told}
	if err := Try(t.Context(), c, all); err != nil {
		t.Fatal(err)
	}
	const want = "held-twice shows since v1.2.0 (2026-03-01), not in v1.1.0, until v1.3.0, no longer in v1.4.0 (2026-05-01) (5 of 5 releases tried)\n"
	if !strings.HasSuffix(out.String(), want) {
		t.Errorf("%s\nwant %s", &out, want)
	}
	if line := "v1.0.0"; !strings.Contains(out.String(), line) || !strings.Contains(out.String(), "not built  ./main.go:10:10: undefined: held.Hold") {
		t.Errorf("no cause for what does not build: %s", &out)
	}
	lines, err := ledger.ReadReleases(c.Ledger, time.Now())
	if err != nil || len(lines) != 5 {
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	out.Reset()
	told.Reset()
	if err := Try(t.Context(), c, all); err != nil || told.Len() > 0 || !strings.HasSuffix(out.String(), want) {
		t.Errorf("a second time: %v, %s%s", err, &told, &out)
	}
	write(t, filepath.Join(root, "findings", "held-twice", "main.go"), "package main\n\nimport _ \"example.com/held\"\n\nfunc main() {}\n")
	tree, err := ledger.OpenSources(root)
	if err != nil {
		t.Fatal(err)
	}
	histories, err := ledger.Histories(lines, tree.Program)
	if err != nil || len(histories) != 1 || histories[0].Stale == "" {
		t.Errorf("the program has changed: %+v, %v", histories, err)
	}
}

// TestUncaughtIsNoFailure: a program of node that ends by an error which it did not catch shows nothing.
func TestUncaughtIsNoFailure(t *testing.T) {
	for script, want := range map[string]string{
		"process.exit(1)": ledger.Shows, "process.exit(0)": ledger.NotSeen, "setTimeout(() => null.lock(), 1)": ledger.Failing,
	} {
		outcome, reason, _, err := program{command: []string{"node", "--eval", script}, dir: t.TempDir()}.play(t.Context(), 1, nil)
		if err != nil || outcome != want || (reason != "") != (want == ledger.Failing) {
			t.Errorf("%s: %s (%s), %v; want %s", script, outcome, reason, err, want)
		}
	}
}

// TestNamed: a finding, a library or a lock names findings.
func TestNamed(t *testing.T) {
	all, err := Findings("..")
	if err != nil {
		t.Fatal(err)
	}
	locks := map[string]string{"redsync": "go-redsync/redsync v4.18.1, redis/go-redis v9.23.0", "lonely": "some/thing v1.0.0"}
	of := func(lock string) (string, bool) { made, ok := locks[lock]; return made, ok }
	for arg, want := range map[string]int{"redsync-late-set": 1, "redis-semaphore": 3, "github.com/go-redsync/redsync/v4": 3, "redsync": 4} {
		if found, err := Named(all, arg, of); err != nil || len(found) != want {
			t.Errorf("%s: %d findings, %v; want %d", arg, len(found), err, want)
		}
	}
	for arg, want := range map[string]string{
		"tooz-etcd-release": "one version of it", "lonely": "no program of findings/", "redsync-late-sett": "did you mean redsync-late-set",
	} {
		if _, err := Named(all, arg, of); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", arg, err, want)
		}
	}
}

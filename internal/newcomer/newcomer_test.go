package newcomer

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kballard/go-shellquote"

	"locktorture/history"
	"locktorture/internal/exit"
)

// root is the repository, seen from here.
const root = "../.."

// limit bounds all that the pages say to run, on a machine that is busy with other tests.
const limit = 10 * time.Minute

// A copied is the repository with what the pages add. The files that are new or changed stand
// elsewhere; go is told to take them for those of the repository (-overlay), so that all else
// comes out of its cache.
type copied struct {
	root    string
	dir     string // where commands are run: root, or source
	overlay string // the file that says what is replaced
	torture string // the program
	source  string // a copy of the repository in which the pages are written out: clients in virtual time are built from it
	runs    string // directory of its runs
}

// TestPages writes what the pages say, and runs what they say.
func TestPages(t *testing.T) {
	all := blocks(t, pages)
	files := written(t, all)
	c := write(t, files)
	c.source = filepath.Join(t.TempDir(), "source")
	copySource(t, c.root, c.source, files)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	c.run(ctx, t, "go", "build", "-overlay", c.overlay, "-o", c.torture, "./cmd/torture")
	if t.Failed() {
		return
	}
	ran, explored := 0, false
	for _, b := range all {
		if b.language != "console" || b.about != "tested" {
			continue
		}
		for line := range strings.Lines(b.text) {
			ran++
			explored = explored || strings.HasPrefix(line, "$ bin/torture explore redis-set-ex ")
			t.Run(b.page+"/"+strings.TrimSpace(line), func(t *testing.T) { c.follow(ctx, t, line) })
		}
	}
	if ran < 6 {
		t.Errorf("the pages say to run %d commands; each must show what it adds and test it", ran)
	}
	if !explored {
		t.Error("the pages do not say that a lock can be explored as soon as it is added")
	}
	c.frozen(t)
	c.asked(ctx, t)
}

// TestAnomalyPage follows its page apart from the others: the anomaly that it adds is for show, so
// that the docs, which tests of the other pages read, have no row for it.
func TestAnomalyPage(t *testing.T) {
	all := blocks(t, []string{anomalyPage})
	c := write(t, written(t, all))
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	ran := 0
	for _, b := range all {
		if b.language != "console" || b.about != "tested" {
			continue
		}
		for line := range strings.Lines(b.text) {
			ran++
			t.Run(strings.TrimSpace(line), func(t *testing.T) { c.follow(ctx, t, line) })
		}
	}
	if ran == 0 {
		t.Error("the page does not say how the anomaly is tested")
	}
}

// asked looks at what the tests say of whoever stops halfway. They read the folders as they
// are, where the rows and tests of the pages are missing.
func (c copied) asked(ctx context.Context, t *testing.T) {
	cmd := exec.CommandContext(ctx, "go", "test", "-count=1", "-overlay", c.overlay, "./registry", "./nemesis", "-run", "TestEvery.*(Conforms|Tried|Judged|Tested)")
	cmd.Dir = c.root
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Error("no test asks for what is missing")
	}
	for _, want := range []string{
		"redis-set-ex has no conformance test: add a row",
		`toggle is in no trial: add {"toggle", workloads.Toggle{Config: config}`,
		"no history is held against invariant.Toggle: add a test",
		"no test injects freeze: write one with nemesistest.Inject(t, w, nemesis.Freeze{}",
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no test says %q:\n%s", want, out)
		}
	}
}

// write makes a copy.
func write(t *testing.T, files map[string]string) copied {
	top, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	c := copied{root: top, dir: top, overlay: filepath.Join(dir, "overlay.json"), torture: filepath.Join(dir, "torture"), runs: filepath.Join(dir, "runs")}
	replace := map[string]string{}
	for path, text := range files {
		at := filepath.Join(dir, strings.ReplaceAll(path, "/", "-"))
		replace[filepath.Join(top, path)] = at
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(c.overlay, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return c
}

// copySource copies what Go needs of the repository, with the files of the pages.
func copySource(t *testing.T, from, to string, files map[string]string) {
	t.Helper()
	put := func(path string, text []byte) error {
		at := filepath.Join(to, path)
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			return err
		}
		return os.WriteFile(at, text, 0o600)
	}
	err := fs.WalkDir(os.DirFS(from), ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{".git", "bin", "results", "docs", "node_modules"}, d.Name()):
			return fs.SkipDir
		case !d.Type().IsRegular() || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(filepath.Join(from, path))
		if err != nil {
			return err
		}
		return put(path, text)
	})
	for path, text := range files {
		err = errors.Join(err, put(path, []byte(text)))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// follow runs a command of a page.
func (c copied) follow(ctx context.Context, t *testing.T, line string) {
	words, err := shellquote.Split(strings.TrimPrefix(line, "$ "))
	if err != nil {
		t.Fatal(err)
	}
	switch {
	case len(words) > 2 && words[0] == "go" && words[1] == "test":
		c.run(ctx, t, append([]string{"go", "test", "-count=1", "-overlay", c.overlay}, words[2:]...)...)
	case len(words) > 2 && words[0] == "bin/torture" && words[1] == "explore":
		c.dir = c.source
		c.run(ctx, t, append([]string{c.torture, "explore", "--no-config", "--quiet", "--dir", c.runs}, words[2:]...)...)
	case len(words) > 2 && words[0] == "bin/torture" && words[1] == "run":
		c.run(ctx, t, append([]string{c.torture, "run", "--no-config", "--quiet", "--dir", c.runs}, words[2:]...)...)
	default:
		t.Errorf("only go test, bin/torture run and bin/torture explore are tested here, not %q", line)
	}
}

// run carries a command out, with the servers that make servers has built. Only a verdict that
// the page does not name may be any.
func (c copied) run(ctx context.Context, t *testing.T, words ...string) {
	t.Helper()
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Dir = c.dir
	cmd.Env = append(os.Environ(), "PATH="+filepath.Join(c.root, "bin", "servers")+string(filepath.ListSeparator)+os.Getenv("PATH"))
	start := time.Now()
	out, err := cmd.CombinedOutput()
	t.Logf("%s (%.1f s)\n%s", strings.Join(words, " "), time.Since(start).Seconds(), out)
	verdict := words[0] == c.torture && !slices.Contains(words, "--expect") &&
		slices.Contains([]int{exit.Violated, exit.Unknown}, cmd.ProcessState.ExitCode())
	if err != nil && !verdict {
		t.Errorf("%v", err)
	}
	if words[1] == "test" && !someTestRan(string(out)) {
		t.Error("no test has such a name")
	}
}

// someTestRan reports whether the output of go test names a package in which a test ran.
func someTestRan(out string) bool {
	for line := range strings.Lines(out) {
		if !strings.Contains(line, "[no tests to run]") && !strings.Contains(line, "[no test files]") && (strings.HasPrefix(line, "ok") || strings.HasPrefix(line, "FAIL")) {
			return true
		}
	}
	return false
}

// frozen looks for the fault of the page in the histories: struck, seen and healed.
func (c copied) frozen(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(c.runs, "*", "history.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	struck, healed := 0, 0
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for lines := bufio.NewScanner(f); lines.Scan(); {
			var op history.Op
			if json.Unmarshal(lines.Bytes(), &op) != nil || op.Kind() != "freeze" {
				continue
			}
			switch {
			case op.F == history.Fault && strings.Contains(lines.Text(), "frozen"):
				struck++
			case op.F == history.Heal:
				healed++
			}
		}
	}
	if struck == 0 || healed != struck {
		t.Errorf("in %d histories freeze struck %d times and was healed %d times", len(paths), struck, healed)
	}
}

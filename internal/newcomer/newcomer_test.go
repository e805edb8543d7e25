package newcomer

import (
	"bufio"
	"context"
	"encoding/json"
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
	overlay string // the file that says what is replaced
	torture string // the program
	runs    string // directory of its runs
}

// TestPages writes what the pages say, and runs what they say.
func TestPages(t *testing.T) {
	all := blocks(t)
	c := write(t, written(t, all))
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	c.run(ctx, t, "go", "build", "-overlay", c.overlay, "-o", c.torture, "./cmd/torture")
	if t.Failed() {
		return
	}
	ran := 0
	for _, b := range all {
		if b.language != "console" || b.about != "tested" {
			continue
		}
		for line := range strings.Lines(b.text) {
			ran++
			t.Run(b.page+"/"+strings.TrimSpace(line), func(t *testing.T) { c.follow(ctx, t, line) })
		}
	}
	if ran < 6 {
		t.Errorf("the pages say to run %d commands; each must show what it adds and test it", ran)
	}
	c.frozen(t)
	c.asked(ctx, t)
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
	c := copied{root: top, overlay: filepath.Join(dir, "overlay.json"), torture: filepath.Join(dir, "torture"), runs: filepath.Join(dir, "runs")}
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

// follow runs a command of a page.
func (c copied) follow(ctx context.Context, t *testing.T, line string) {
	words, err := shellquote.Split(strings.TrimPrefix(line, "$ "))
	if err != nil {
		t.Fatal(err)
	}
	switch {
	case len(words) > 2 && words[0] == "go" && words[1] == "test":
		c.run(ctx, t, append([]string{"go", "test", "-count=1", "-overlay", c.overlay}, words[2:]...)...)
	case len(words) > 2 && words[0] == "bin/torture" && words[1] == "run":
		c.run(ctx, t, append([]string{c.torture, "run", "--no-config", "--quiet", "--dir", c.runs}, words[2:]...)...)
	default:
		t.Errorf("only go test and bin/torture run are tested here, not %q", line)
	}
}

// run carries a command out, with the servers that make servers has built. Only a verdict that
// the page does not name may be any.
func (c copied) run(ctx context.Context, t *testing.T, words ...string) {
	t.Helper()
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Dir = c.root
	cmd.Env = append(os.Environ(), "PATH="+filepath.Join(c.root, "bin", "servers")+string(filepath.ListSeparator)+os.Getenv("PATH"))
	start := time.Now()
	out, err := cmd.CombinedOutput()
	t.Logf("%s (%.1f s)\n%s", strings.Join(words, " "), time.Since(start).Seconds(), out)
	verdict := words[0] == c.torture && !slices.Contains(words, "--expect") &&
		slices.Contains([]int{exit.Violated, exit.Unknown}, cmd.ProcessState.ExitCode())
	if err != nil && !verdict {
		t.Errorf("%v", err)
	}
	if words[1] == "test" && strings.Contains(string(out), "no tests to run") {
		t.Error("no test is called so")
	}
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

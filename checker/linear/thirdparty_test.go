package linear_test

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"locktorture/checker/linear"
	"locktorture/checker/linear/jepsen"
)

var (
	thirdparty   = flag.Bool("thirdparty", false, "judge the histories of others and print a table (make thirdparty)")
	moreOfOthers = flag.String("more", "", "with -thirdparty: a directory MODEL/good and MODEL/bad of more histories")
)

// An ofOthers is what came of the histories of one source.
type ofOthers struct {
	name    string
	missing string // why there are none
	judged  map[linear.Outcome]int
	differ  []string // from what is known of them
	unread  []string // of objects that there is no model for
	took    time.Duration
}

func (a *ofOthers) add(name string, want, got linear.Outcome, why string) {
	if a.judged == nil {
		a.judged = map[linear.Outcome]int{}
	}
	a.judged[got]++
	if got != want {
		a.differ = append(a.differ, fmt.Sprintf("%s: %v (%s), known to be %v", name, got, why, want))
	}
}

// TestOddForms judges small histories in the forms in which others write them.
func TestOddForms(t *testing.T) {
	a := judgeTree("testdata", filepath.Join("jepsen", "testdata"))
	if len(a.differ)+len(a.unread) > 0 || a.judged[linear.Valid] < 5 || a.judged[linear.Invalid] < 6 {
		t.Errorf("%+v", a)
	}
}

// TestThirdParty judges all histories of others that are here, and fails where
// a verdict is not the known one. It downloads nothing.
func TestThirdParty(t *testing.T) {
	if !*thirdparty {
		t.Skip("make thirdparty")
	}
	rows := []ofOthers{
		judgeTree("written here in the forms of others", filepath.Join("jepsen", "testdata")),
		judgePorcupine(t, "porcupine's etcd logs", func(a *ofOthers) {
			for _, n := range etcdNumbers(t) {
				v := judgeEtcd(t, n, "")
				a.add(fmt.Sprintf("etcd_%03d", n), etcdOutcome(n), v.Outcome, v.Reason+v.Explanation)
			}
		}),
		judgePorcupine(t, "porcupine's key-value store", func(a *ofOthers) {
			for name, want := range kvKnown {
				got, why := judgeKV(t, name)
				a.add(name, want, got, why)
			}
		}),
		judgeModule(t, "github.com/jepsen-io/knossos", "data"),
		judgeModule(t, "github.com/palantir/atlasdb", "atlasdb-jepsen-tests/src/integTest/resources"),
	}
	if *moreOfOthers != "" {
		rows = append(rows, judgeTree(*moreOfOthers, *moreOfOthers))
	}
	fmt.Print("| source | valid | invalid | unknown | not as known | no model | time |\n|---|---|---|---|---|---|---|\n")
	for _, a := range rows {
		if a.missing != "" {
			fmt.Printf("| %s | skipped: %s |\n", a.name, a.missing)
			continue
		}
		fmt.Printf("| %s | %d | %d | %d | %d | %d | %v |\n", a.name, a.judged[linear.Valid], a.judged[linear.Invalid],
			a.judged[linear.Unknown], len(a.differ), len(a.unread), a.took.Round(time.Millisecond))
		for _, d := range a.differ {
			t.Errorf("%s: %s", a.name, d)
		}
		for _, u := range a.unread {
			t.Logf("%s: not judged: %s", a.name, u)
		}
	}
}

func judgePorcupine(t *testing.T, name string, judge func(*ofOthers)) ofOthers {
	a := ofOthers{name: name}
	if _, err := os.Stat(recorded(t)); err != nil {
		a.missing = "not in the module cache"
		return a
	}
	start := time.Now()
	judge(&a)
	a.took = time.Since(start)
	return a
}

// judgeModule judges what the module cache has of a repository, in any
// version.
func judgeModule(t *testing.T, module, dir string) ofOthers {
	t.Helper()
	out, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	found, _ := filepath.Glob(filepath.Join(strings.TrimSpace(string(out)), module+"@*", dir))
	if len(found) == 0 {
		return ofOthers{name: module, missing: "not in the module cache"}
	}
	return judgeTree(module, found[len(found)-1])
}

// judgeTree judges the files below a directory. Their path says the model and
// what is known of them: MODEL/good/FILE or MODEL/bad/FILE, as in Knossos. A
// file elsewhere is of a lock with leases, and known to be valid.
func judgeTree(name, root string) (a ofOthers) {
	a.name = name
	start := time.Now()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		ext := strings.TrimSuffix(filepath.Ext(strings.TrimSuffix(path, ".gz")), "l")
		if err != nil || d.IsDir() || !slices.Contains([]string{".edn", ".json"}, ext) {
			return err
		}
		model, want := placeOf(path)
		if model == "" {
			return nil // kept beside, with nothing known of it
		}
		got, why, err := judgeFile(path, model)
		if err != nil {
			a.unread = append(a.unread, filepath.Base(path)+": "+err.Error())
			return nil
		}
		a.add(filepath.Base(path), want, got, why)
		return nil
	})
	if err != nil {
		a.missing = err.Error()
	}
	a.took = time.Since(start)
	return a
}

// placeOf reads a path.
func placeOf(path string) (model string, want linear.Outcome) {
	verdict := filepath.Base(filepath.Dir(path))
	model = strings.TrimPrefix(filepath.Base(filepath.Dir(filepath.Dir(path))), "cas-")
	switch verdict {
	case "good":
		return model, linear.Valid
	case "bad":
		return model, linear.Invalid
	case "resources":
		return "lease", linear.Valid
	}
	return "", linear.Unknown
}

// judgeFile judges one file. Its error says that there is no model for what
// it holds; that it is no history at all is a difference.
func judgeFile(path, model string) (linear.Outcome, string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return linear.Unknown, err.Error(), nil
	}
	h, err := jepsen.Read(bytes.NewReader(text), jepsen.Options{})
	switch {
	case !slices.Contains(linear.Models(), model):
		return linear.Unknown, "", fmt.Errorf("there is no model %s", model)
	case err != nil && strings.HasSuffix(err.Error(), "unknown f"):
		return linear.Unknown, "", err
	case err != nil:
		return linear.Unknown, err.Error(), nil
	}
	outcome, why := linear.Unknown, "nothing in it"
	for _, o := range h.Objects {
		v := linear.Check(o.Operations, model, linear.Options{})
		if v.Outcome == linear.Invalid || outcome != linear.Invalid && (why == "nothing in it" || v.Outcome == linear.Unknown) {
			outcome, why = v.Outcome, o.Key+" "+v.Reason+v.Explanation
		}
	}
	return outcome, why, nil
}

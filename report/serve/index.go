package serve

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"locktorture/checker"
	"locktorture/report"
	"locktorture/report/verdict"
)

// An Entry is one run of a directory of runs.
type Entry struct {
	Name   string
	Run    report.Run
	Result checker.Result
	Files  []string // that a reader may want, relative to the run's directory
	// Problem says why the run or its result could not be read; the rest of
	// the entry is what could be.
	Problem string
}

// Grade returns the verdict on the run; unknown if it has none.
func (e Entry) Grade() checker.Grade { return verdict.Grade(e.Result) }

// Recorded reports whether there is a history that can be judged again.
func (e Entry) Recorded() bool { return slices.Contains(e.Files, "history.jsonl") }

// files lists the files of a run directory that the index links to.
var files = []string{"report.html", "result.json", "run.json", "history.jsonl", "schedule.jsonl", "junit.xml"}

// Entries lists the runs of a directory, the newest first. A directory
// without run.json is no run; one that cannot be read is listed with its
// problem.
func Entries(dir string) ([]Entry, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	defer root.Close()
	list, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	var out []Entry
	for _, d := range list {
		if !d.IsDir() { // "latest" is a link to a run that is listed anyway
			continue
		}
		if e, ok := readEntry(root.FS(), d.Name()); ok {
			out = append(out, e)
		}
	}
	slices.SortFunc(out, func(a, b Entry) int { return cmp.Compare(b.Name, a.Name) })
	return out, nil
}

// readEntry reads one run; ok is false if there is none of that name.
func readEntry(root fs.FS, name string) (e Entry, ok bool) {
	if !fs.ValidPath(name) || name == "." || strings.Contains(name, "/") {
		return Entry{}, false
	}
	e.Name = name
	var problems []string
	if err := readJSON(root, name+"/run.json", &e.Run); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return Entry{}, false
		}
		problems = append(problems, err.Error())
	}
	if err := readJSON(root, name+"/result.json", &e.Result); errors.Is(err, fs.ErrNotExist) {
		problems = append(problems, "there is no result, because the run did not end")
	} else if err != nil {
		problems = append(problems, err.Error())
		e.Result = checker.Result{}
	}
	for _, f := range files {
		if info, err := fs.Stat(root, name+"/"+f); err == nil && info.Mode().IsRegular() {
			e.Files = append(e.Files, f)
		}
	}
	e.Problem = strings.Join(problems, "; ")
	return e, true
}

// maxJSON bounds what is read of run.json and result.json.
const maxJSON = 64 << 20

func readJSON(root fs.FS, path string, into any) error {
	info, err := fs.Stat(root, path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() || info.Size() > maxJSON {
		return fmt.Errorf("%s is not a file of a run", path)
	}
	b, err := fs.ReadFile(root, path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, into); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return nil
}

// A Query is what a reader asked the index for.
type Query struct {
	Search string // words, each of which must stand in name, backend, workload, faults, sentence or anomalies
	Grade  string // only this one
	Sort   string // a column of the index; "-" before it turns the order around
}

// Select filters and sorts entries.
func (q Query) Select(all []Entry) []Entry {
	var out []Entry
	for _, e := range all {
		if (q.Grade == "" || string(e.Grade()) == q.Grade) && matches(e, q.Search) {
			out = append(out, e)
		}
	}
	name, down := strings.CutPrefix(q.Sort, "-")
	if compare, ok := columns[name]; ok {
		slices.SortStableFunc(out, func(a, b Entry) int {
			if down {
				a, b = b, a
			}
			return compare(a, b)
		})
	}
	return out
}

func matches(e Entry, search string) bool {
	text := strings.ToLower(strings.Join([]string{e.Name, e.Run.Backend, e.Run.Workload, strings.Join(e.Run.Nemeses, " "), string(e.Grade()), e.Result.Sentence, fmt.Sprint(e.Run.Seed)}, " "))
	for kind := range e.Result.Counts.Anomalies {
		text += " " + kind
	}
	for _, word := range strings.Fields(strings.ToLower(search)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// columns are what the index can be sorted by.
var columns = map[string]func(a, b Entry) int{
	"run":      func(a, b Entry) int { return cmp.Compare(a.Name, b.Name) },
	"grade":    func(a, b Entry) int { return cmp.Compare(worst(a), worst(b)) },
	"backend":  func(a, b Entry) int { return cmp.Compare(a.Run.Backend, b.Run.Backend) },
	"workload": func(a, b Entry) int { return cmp.Compare(a.Run.Workload, b.Run.Workload) },
	"faults": func(a, b Entry) int {
		return cmp.Compare(strings.Join(a.Run.Nemeses, ","), strings.Join(b.Run.Nemeses, ","))
	},
	"anomalies": func(a, b Entry) int { return cmp.Compare(total(b), total(a)) },
	"grants":    func(a, b Entry) int { return cmp.Compare(b.Result.Counts.Grants, a.Result.Counts.Grants) },
}

// worst orders grades from the worst to the best.
func worst(e Entry) int {
	return slices.Index([]checker.Grade{checker.Unsafe, checker.Unknown, checker.FencedG, checker.Safe}, e.Grade())
}

func total(e Entry) int {
	n := 0
	for _, p := range e.Result.Properties {
		n += p.Total
	}
	return n
}

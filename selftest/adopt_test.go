package selftest

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"locktorture/checker"
	"locktorture/internal/exit"
	"locktorture/matrix"
)

// A counted row knows only how many runs it has counted.
type counted struct {
	Row string
	Of  int
}

func (r *counted) name() string            { return r.Row }
func (r *counted) add(cell) (bool, string) { r.Of++; return false, "" }
func (r *counted) code() int               { return exit.OK }

// countedTable has two rows of two runs each.
func countedTable() (Table, []*counted) {
	rows := []*counted{{Row: "a"}, {Row: "b"}}
	return Table{
		title: "table of mutants", rows: rowsOf(rows), markdown: func(o Options) string { return "commit " + o.Commit + "\n" },
		runs: func(o Options) []trial {
			return bySeed(o, rows, func(r *counted) []string { return []string{"run", "--backend", r.Row} })
		},
	}, rows
}

// TestAdopt says what a selftest takes over of an earlier one in its directory, and what it runs.
func TestAdopt(t *testing.T) {
	at := func(row string, seed uint64, failed string) cell {
		return cell{trial: trial{Row: row, Args: []string{"run", "--backend", row}, Seed: seed}, Failed: failed, Commit: "old"}
	}
	for _, c := range []struct {
		name     string
		earlier  []cell
		only     []string
		left     string // rows of the runs that are left
		missing  string
		adopted  int
		whichToo bool // the table says which commit the others are of
	}{
		{"nothing", nil, nil, "a b a b", "", 0, false},
		{"what is there is not run again", []cell{at("a", 1, ""), at("b", 1, "")}, nil, "a b", "", 2, true},
		{"a failure is", []cell{at("a", 1, "died")}, nil, "a b a b", "", 0, false},
		{"the last one counts", []cell{at("a", 1, "died"), at("a", 1, "")}, nil, "b a b", "", 1, true},
		{"a row anew, the other as it was", []cell{at("a", 1, ""), at("a", 2, ""), at("b", 1, ""), at("b", 2, "")}, []string{"a"}, "a a", "", 2, true},
		{"a row anew, the other is not whole", []cell{at("b", 1, "")}, []string{"a"}, "a a", "b", 1, true},
	} {
		table, rows := countedTable()
		r := &runner{Options: Options{Seeds: 2, Seed: 1, Only: c.only, Commit: "new"}, table: table}
		left, missing := r.adopt(c.earlier)
		var names []string
		for _, one := range left {
			names = append(names, one.Row)
		}
		if got := strings.Join(names, " "); got != c.left || strings.Join(missing, " ") != c.missing {
			t.Errorf("%s: left %q, missing %q", c.name, got, missing)
		}
		if got := rows[0].Of + rows[1].Of; got != c.adopted || strings.Contains(r.Commit, "old") != c.whichToo {
			t.Errorf("%s: %d adopted, commit %s", c.name, got, r.Commit)
		}
	}
}

// TestPartKeepsTheRest: the table of a part takes its other rows from the directory, and is refused
// where that does not have them.
func TestPartKeepsTheRest(t *testing.T) {
	dir := t.TempDir()
	page := filepath.Join(dir, "page.md")
	s := section{"table of mutants"}
	if err := os.WriteFile(page, []byte(s.begin()+"old\n"+s.end()), 0o600); err != nil {
		t.Fatal(err)
	}
	o := Options{Seeds: 1, Seed: 1, Jobs: 1, Out: filepath.Join(dir, "out"), Markdown: page, Commit: "new", Only: []string{"nobody"}}
	table, rows := countedTable()
	if err := Run(t.Context(), table, o, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), "would lose rows") || !strings.Contains(err.Error(), "a, b") {
		t.Errorf("without the other rows: %v", err)
	}
	_, cells, err := matrix.OpenCells[cell](o.Out)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []string{"a", "b"} {
		c := cell{trial: trial{Row: row, Args: []string{"run", "--backend", row}, Seed: 1}, Result: checker.Result{Grade: checker.Safe}, Commit: "old"}
		if err := cells.Add(c); err != nil {
			t.Fatal(err)
		}
	}
	if err := cells.Close(); err != nil {
		t.Fatal(err)
	}
	if err := Run(t.Context(), table, o, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), "--resume") {
		t.Errorf("the directory was taken without --resume: %v", err)
	}
	o.Resume = true
	if err := Run(t.Context(), table, o, io.Discard, io.Discard); err != nil || rows[0].Of != 1 || rows[1].Of != 1 {
		t.Errorf("%d and %d runs, %v", rows[0].Of, rows[1].Of, err)
	}
	text, err := os.ReadFile(page)
	if want := s.begin() + "commit new (rows taken over: old)\n" + s.end(); err != nil || string(text) != want {
		t.Errorf("the page is now (%v)\n%s", err, text)
	}
}

package serve

import (
	"cmp"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"time"

	"locktorture/report/scorecard"
)

// A place is a directory of runs with its addresses: the one that is served, or that of a
// matrix.
type place struct {
	*server
	dir  string // of the runs
	home string // of the matrix; "": they are of none
	base string // what its addresses begin with
}

// The files of a matrix.
const (
	matrixTable = "matrix.json"
	matrixCells = "cells.jsonl"
	matrixRuns  = "runs"
)

// here returns the place that is served: what was named, or the runs in it.
func (s *server) here() place {
	p := place{server: s, dir: s.top}
	if isDir(filepath.Join(s.top, matrixRuns)) {
		p.dir = filepath.Join(s.top, matrixRuns)
	}
	if IsMatrix(s.top) {
		p.home = s.top
	}
	return p
}

// isDir reports whether a path is a directory, and no link to one, which could lead out.
func isDir(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

// IsMatrix reports whether a directory holds a matrix.
func IsMatrix(dir string) bool {
	info, err := os.Lstat(filepath.Join(dir, matrixCells))
	return err == nil && info.Mode().IsRegular() && isDir(filepath.Join(dir, matrixRuns))
}

// A Matrix is one of those that are found.
type Matrix struct {
	Name   string
	Start  time.Time
	Exit   int
	Counts string // of its cells; "": it has no table, or one that cannot be read
}

// Link returns what its addresses begin with.
func (m Matrix) Link() string { return "/matrix/" + url.PathEscape(m.Name) }

// folders returns where matrices are looked for: in the directory that is served, in its folder
// of matrices, and in that beside results/runs.
func (s *server) folders() []string {
	top := filepath.Clean(s.top)
	all := []string{top, filepath.Join(top, "matrix")}
	if filepath.Base(top) == matrixRuns {
		all = append(all, filepath.Join(filepath.Dir(top), "matrix"))
	}
	return all
}

// matrices are those that are found, the newest first. Of two with one name the first is
// shown.
func (s *server) matrices() (found []Matrix) {
	s.eachMatrix(func(name, dir string) bool {
		found = append(found, readMatrix(name, dir))
		return true
	})
	slices.SortStableFunc(found, func(a, b Matrix) int { return cmp.Or(b.Start.Compare(a.Start), cmp.Compare(b.Name, a.Name)) })
	return found
}

// matrix returns the place of one of them.
func (s *server) matrix(name string) (p place, ok bool) {
	s.eachMatrix(func(n, dir string) bool {
		if ok = n == name; ok {
			p = place{server: s, dir: filepath.Join(dir, matrixRuns), home: dir, base: Matrix{Name: name}.Link()}
		}
		return !ok
	})
	return p, ok
}

// eachMatrix calls visit with each matrix until it says that this is enough.
func (s *server) eachMatrix(visit func(name, dir string) bool) {
	seen := map[string]bool{}
	for _, folder := range s.folders() {
		list, err := os.ReadDir(folder)
		if err != nil {
			continue // there need not be one
		}
		for _, d := range list {
			dir := filepath.Join(folder, d.Name())
			if !d.IsDir() || seen[d.Name()] || !IsMatrix(dir) {
				continue
			}
			if seen[d.Name()] = true; !visit(d.Name(), dir) {
				return
			}
		}
	}
}

// readMatrix reads what the index tells of a matrix.
func readMatrix(name, dir string) Matrix {
	m := Matrix{Name: name}
	var table struct {
		Start time.Time       `json:"start"`
		Exit  int             `json:"exit"`
		Rows  []scorecard.Row `json:"rows"`
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return m
	}
	defer root.Close()
	if err := readJSON(root.FS(), matrixTable, &table); err != nil {
		return m
	}
	m.Start, m.Exit, m.Counts = table.Start, table.Exit, scorecard.Counts(table.Rows)
	return m
}

// card sends the page of a matrix.
func (p place) card(w http.ResponseWriter, r *http.Request) {
	if p.home == "" {
		http.NotFound(w, r)
		return
	}
	sendFile(w, r, p.home, PageOfMatrix, true)
}

package layers

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	quoted = regexp.MustCompile("`([^`\n]+)`")
	stop   = regexp.MustCompile(`^[\w.-]+(/[\w.-]+)*(/|\.go)(:\w+)?$`)
	name   = regexp.MustCompile(`^(\w+\.)?[A-Z]\w*$`)
)

// TestTourIsThere fails on a place that docs/tour.md names and that is not there: a folder, a
// file, what a file is said to declare, an exported name.
func TestTourIsThere(t *testing.T) {
	text := page(t, "docs/tour.md")
	places, known := 0, map[string]bool{}
	for _, folder := range []string{"history", "trial", "harness", "timeline", "checker", "checker/rule"} {
		files, err := filepath.Glob(root(folder + "/*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range files {
			declare(t, path, known)
		}
	}
	for _, m := range quoted.FindAllStringSubmatch(text, -1) {
		path, what, _ := strings.Cut(m[1], ":")
		switch {
		case stop.MatchString(m[1]):
			places++
			declared := map[string]bool{}
			if _, err := os.Stat(root(path)); err != nil {
				t.Errorf("%s: there is no such place; name the one that it has moved to", m[1])
			} else if what != "" && !declare(t, root(path), declared)[what] {
				t.Errorf("%s: the file declares nothing of that name; name the one that does its work now", m[1])
			}
		case name.MatchString(m[1]) && m[1] != "SIGSTOP":
			if _, own, ok := strings.Cut(m[1], "."); !known[m[1]] && !(ok && known[own]) {
				t.Errorf("%s: no package on the way declares that", m[1])
			}
		}
	}
	if places < 50 {
		t.Errorf("only %d places were looked up", places)
	}
}

// TestDesignListsFolders fails on a package that the table of docs/design.md does not have: by its own
// folder, or by one above it with a slash at its end.
func TestDesignListsFolders(t *testing.T) {
	rows := map[string]bool{}
	for _, line := range strings.Split(page(t, "docs/design.md"), "\n") {
		if cells := strings.Split(line, "|"); len(cells) > 4 {
			for _, m := range quoted.FindAllStringSubmatch(cells[2]+cells[3], -1) {
				rows[strings.TrimSuffix(m[1], "/")] = true
			}
		}
	}
	cmd := exec.Command("go", "list", "./...")
	cmd.Dir = root(".")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, imp := range strings.Fields(string(out)) {
		folder := strings.TrimPrefix(imp, module)
		family := filepath.Dir(folder) == "locks" && rows["locks/<family>"]
		if !rows[folder] && !family {
			t.Errorf("%s: docs/design.md does not say what it is; give it a row, or name it in that of the folder it belongs to", folder)
		}
	}
	for row := range rows {
		if _, err := os.Stat(root(row)); err != nil && strings.Contains(row, "/") && !strings.Contains(row, "<") {
			t.Errorf("%s stands in docs/design.md, and there is no such folder", row)
		}
	}
}

func root(path string) string { return filepath.Join("..", "..", path) }

func page(t *testing.T, path string) string {
	text, err := os.ReadFile(root(path))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// declare adds what a file declares: functions, methods, types, values and fields.
func declare(t *testing.T, path string, into map[string]bool) map[string]bool {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			into[n.Name.Name] = true
		case *ast.TypeSpec:
			into[n.Name.Name] = true
		case *ast.ValueSpec:
			for _, id := range n.Names {
				into[id.Name] = true
			}
		case *ast.Field:
			for _, id := range n.Names {
				into[id.Name] = true
			}
		}
		return true
	})
	return into
}

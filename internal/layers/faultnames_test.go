package layers

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"locktorture/nemesis"
)

// notFaults says why a word of a folder that reads as the name of a fault is none, as long as
// nothing hangs on it.
var notFaults = map[string]string{
	"report/hold": "the time for which a lease is held, and its mark in a drawing",
}

// namesBelong says why a file, wherever it is in its folder, has words that are names of
// faults.
var namesBelong = map[string]string{
	"history/formerfaults.go": "the table for histories of before faults declared themselves",
	"checker/leader.go":       "the workload of the same name, and the key under which it writes",
}

// TestNoFaultByName fails on a string that names a fault in a package that must go by what
// the fault declares: a new fault would be missing there, and a verdict wrong.
func TestNoFaultByName(t *testing.T) {
	files := 0
	for _, folder := range []string{"history", "checker", "harness", "report", "trial"} {
		for _, path := range sources(t, folder) {
			files++
			for _, lit := range namedFaults(t, folder, path) {
				t.Errorf("%s names a fault. Go by what it declares: history.Op.FaultTraits, or nemesis.Traits of the fault itself; "+
					"where a property is missing, add it to both", lit)
			}
		}
	}
	if files < 100 {
		t.Errorf("only %d files were looked at", files)
	}
}

// sources are the Go files of a folder and those below it, without tests and what makes
// samples for tests.
func sources(t *testing.T, folder string) (paths []string) {
	root := filepath.Join("..", "..")
	err := fs.WalkDir(os.DirFS(root), ".", func(path string, d fs.DirEntry, err error) error {
		in := strings.HasPrefix(path, folder+"/") && !strings.Contains(path, "/internal/sample/")
		if err == nil && in && strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") && namesBelong[folder+"/"+filepath.Base(path)] == "" {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// namedFaults are the literals of a file that name a fault, each with its place.
func namedFaults(t *testing.T, folder, path string) (found []string) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, filepath.Join("..", "..", path), nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	kinds := nemesis.All()
	var above []ast.Node
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil {
			above = above[:len(above)-1]
			return true
		}
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			word, err := strconv.Unquote(lit.Value)
			_, named := kinds[word]
			if err == nil && named && (notFaults[folder+"/"+word] == "" || decides(above[len(above)-1])) {
				found = append(found, set.Position(lit.Pos()).String()+": "+lit.Value)
			}
		}
		above = append(above, n)
		return true
	})
	return found
}

// decides reports whether what happens hangs on the literals of this node.
func decides(n ast.Node) bool {
	switch n.(type) {
	case *ast.CaseClause, *ast.BinaryExpr, *ast.IndexExpr, *ast.KeyValueExpr:
		return true
	}
	return false
}

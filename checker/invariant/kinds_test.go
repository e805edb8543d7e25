package invariant_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"locktorture/checker"
)

// TestKindsAreKnown fails for an anomaly that an invariant finds and the checker's table
// lacks, and for one that docs/verdicts.md does not explain.
func TestKindsAreKnown(t *testing.T) {
	found := 0
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			kind := kindOf(n)
			if kind == "" {
				return true
			}
			found++
			if !slices.Contains(checker.Kinds(), kind) {
				t.Errorf("checker/invariant/%s: no row names the anomaly %q: add {Kind: %q, Property: Workload} to Rows in checker/kinds.go", set.Position(n.Pos()), kind, kind)
			}
			return true
		})
	}
	if found < 10 {
		t.Errorf("only %d anomalies were found", found)
	}
	page, err := os.ReadFile("../../docs/verdicts.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range checker.Kinds() {
		if !strings.Contains(string(page), "`"+kind+"`") {
			t.Errorf("docs/verdicts.md does not explain %s: add a row \"| | `%s` | `the workload`: what it means |\" to its table of anomalies", kind, kind)
		}
	}
}

// kindOf is the anomaly that a field Kind (or kind) is set to; "" if the node is none.
func kindOf(n ast.Node) string {
	pair, ok := n.(*ast.KeyValueExpr)
	if !ok {
		return ""
	}
	key, ok := pair.Key.(*ast.Ident)
	value, literal := pair.Value.(*ast.BasicLit)
	if !ok || !literal || !strings.EqualFold(key.Name, "kind") {
		return ""
	}
	kind, _ := strconv.Unquote(value.Value)
	return kind
}

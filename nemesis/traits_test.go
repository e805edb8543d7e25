package nemesis_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"locktorture/nemesis"
)

// TestEveryFaultIsListed fails for a type of this package that can be injected and is not in
// All.
func TestEveryFaultIsListed(t *testing.T) {
	listed := map[string]bool{}
	for _, n := range nemesis.All() {
		listed[strings.TrimPrefix(fmt.Sprintf("%T", n), "nemesis.")] = true
	}
	found := injectable(t)
	for name := range found {
		if !listed[name] {
			t.Errorf("%s has Plan and Inject and is no fault of All: add %s{} there (nemesis/all.go)", name, name)
		}
	}
	if len(found) < 10 {
		t.Errorf("only %d types with Plan and Inject were found: %v", len(found), found)
	}
}

// TestEveryFaultIsTested fails for a fault that no test injects.
func TestEveryFaultIsTested(t *testing.T) {
	names, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	onServers, err := filepath.Glob(filepath.Join("nemesistest", "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	names = append(names, onServers...)
	var tests strings.Builder
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		tests.Write(text)
	}
	for name, n := range nemesis.All() {
		kind := regexp.QuoteMeta(fmt.Sprintf("%T", n))
		if !regexp.MustCompile(`nemesistest\.Inject\(t, .*, ` + kind + `\{|` + kind + `\{.*\.Inject\(`).MatchString(tests.String()) {
			t.Errorf("no test injects %s: write one with nemesistest.Inject(t, w, %T{}, step, seen) on a real server, which looks at the effect with the server's own client, "+
				"and once more after heal() (nemesis/nemesistest/server_faults_test.go shows some)", name, n)
		}
	}
}

// injectable are the types of the package that have the methods Plan and Inject.
func injectable(t *testing.T) map[string]bool {
	methods := map[string]int{}
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			m, ok := d.(*ast.FuncDecl)
			if !ok || m.Recv == nil || m.Name.Name != "Plan" && m.Name.Name != "Inject" {
				continue
			}
			if on, ok := m.Recv.List[0].Type.(*ast.Ident); ok {
				methods[on.Name]++
			}
		}
	}
	found := map[string]bool{}
	for name, n := range methods {
		if n == 2 {
			found[name] = true
		}
	}
	return found
}

// TestEveryFaultDeclaresItself says what a declaration lacks.
func TestEveryFaultDeclaresItself(t *testing.T) {
	form := regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)
	names := map[string]string{}
	for _, n := range nemesis.All() {
		d := n.Traits()
		who := fmt.Sprintf("Traits of %T", n)
		switch {
		case !form.MatchString(d.Name):
			t.Errorf("%s: Name is %q: write what it is called in --nemesis, in lower case, words joined by \"-\"", who, d.Name)
		case names[d.Name] != "":
			t.Errorf("%s: Name %q is taken by %s: give it one of its own", who, d.Name, names[d.Name])
		}
		names[d.Name] = fmt.Sprintf("%T", n)
		if d.About == "" || strings.ContainsAny(d.About, "\n") || strings.HasSuffix(d.About, ".") {
			t.Errorf("%s: About is %q: write in one clause what the fault does; torture list nemeses prints it", who, d.About)
		}
		if d.Effect == "" {
			t.Errorf("%s: Effect is empty: write what becomes of the victim (Stopped, Killed, Cut, …)", who)
		}
		if whole, ok := nemesis.All()[d.PartOf]; d.PartOf != "" && (!ok || whole.Traits().PartOf != "" || whole.Traits().Effect != d.Effect) {
			t.Errorf("%s: PartOf is %q, which is no whole fault of the same effect", who, d.PartOf)
		}
		if d.SeenLate < 0 || d.Ahead < 0 {
			t.Errorf("%s: SeenLate and Ahead are times, not %v and %v", who, d.SeenLate, d.Ahead)
		}
		if d.Ahead > 0 && !d.TakesLocks {
			t.Errorf("%s: Ahead says how long before it is seen it takes locks away; set TakesLocks, too", who)
		}
	}
	if whole := len(nemesis.Whole(nemesis.All())); whole != len(injectable(t)) {
		t.Errorf("All has %d faults that are no part of another, the package %d: two have one name", whole, len(injectable(t)))
	}
}

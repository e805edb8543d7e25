package main

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const list = `
== p/a.go, 3 mutants
open:
	F: a [< → <=] b
tie: both are right
	F: c [< → <=] d

== p/b.go, 1 mutants

== q/a.go, 1 mutants
text: one word
	F: a [< → <=] b
`

func known(t *testing.T) survivors {
	t.Helper()
	s, err := parseSurvivors(list)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func of(file, change string) *mutant {
	return &mutant{pkg: "p", file: file, function: "F", change: change}
}

// TestUpdate: a survivor keeps its class until it is killed or gone, wherever it is moved to,
// and a new one is open.
func TestUpdate(t *testing.T) {
	killedNow, moved, untried, fresh := of("a.go", "a [< → <=] b"), of("b.go", "c [< → <=] d"), of("b.go", "e"), of("c.go", "g")
	s := known(t)
	s.update("p", []*mutant{killedNow, moved, untried, fresh}, map[*mutant]outcome{killedNow: killed, moved: lived, fresh: notReached})
	want := survivorsHead + `
== p/a.go, 1 mutants

== p/b.go, 1 mutants
tie: both are right
	F: c [< → <=] d

== p/c.go, 1 mutants
open:
	F: g

== q/a.go, 1 mutants
text: one word
	F: a [< → <=] b
`
	if d := cmp.Diff(want, s.String()); d != "" {
		t.Error(d)
	}
	if s.count("p", "tie") != 1 || s.count("p", "open") != 1 || s.count("p", "text") != 0 {
		t.Error("wrong counts")
	}
	if got := strings.Join(s.stale("p", []*mutant{killedNow, moved, untried, fresh}), "\n"); got != "p/b.go has 2 mutants, and had 1" {
		t.Error(got) // one of them was not tried
	}
}

// TestStale: code that has moved on since its mutants were tried is told, in the package that
// was asked for.
func TestStale(t *testing.T) {
	got := known(t).stale("p", []*mutant{of("a.go", "a [< → <=] b"), of("a.go", "x"), of("a.go", "y"), of("new.go", "x")})
	want := []string{
		"p/a.go has no mutant any more that is called F: c [< → <=] d",
		"p/b.go has 0 mutants, and had 1",
		"p/new.go has 1 mutants that were never tried",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestSurvivorsText: what is written can be read, and what nobody can have meant is refused.
func TestSurvivorsText(t *testing.T) {
	s := known(t)
	if again, err := parseSurvivors(s.String()); err != nil || again.String() != s.String() {
		t.Error(err, again)
	}
	for _, bad := range []string{
		"== p/a.go\n", "== p/a.go, some mutants\n", "tie: why\n\tF: x\n", "== p/a.go, 1 mutants\n\tF: x\n",
		"== p/a.go, 1 mutants\nwhim: why\n\tF: x\n", "== p/a.go, 1 mutants\ntie:\n\tF: x\n", "== p/a.go, 1 mutants\nopen: why\n\tF: x\n",
		"== p/a.go, 1 mutants\ntie: why\n\tF: x\ntext: why\n\tF: x\n", "== p/a.go, 1 mutants\n== p/a.go, 1 mutants\n",
	} {
		if got, err := parseSurvivors(bad); err == nil {
			t.Errorf("%q: %v", bad, got)
		}
	}
}

// TestSurvivorsFile: the file in git is as this command writes it.
func TestSurvivorsFile(t *testing.T) {
	text, err := os.ReadFile("survivors.txt")
	if err != nil {
		t.Fatal(err)
	}
	s, err := parseSurvivors(string(text))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(s.String(), string(text)); d != "" {
		t.Errorf("make survivors puts it in order:\n%s", d)
	}
}

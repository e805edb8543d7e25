package guide

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestPageIsFresh fails when the results, or the prose, have changed since the page was
// written.
func TestPageIsFresh(t *testing.T) {
	want := written(t)
	got, err := os.ReadFile(filepath.Join("..", Page))
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is stale: %s writes it from the results", Page, Renew)
	}
}

func written(t *testing.T) string {
	t.Helper()
	d, err := Read("..")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := d.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestNothingIsInvented: what does not stand in the results is an error, not an empty cell.
func TestNothingIsInvented(t *testing.T) {
	d, err := Read("..")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.seen("redlock", "failover"); err == nil {
		t.Error("a fault that cannot be injected has a verdict")
	}
	if _, err := d.seen("redlock", "storm"); err == nil {
		t.Error("a fault that there is not has a verdict")
	}
	if _, err := d.rate("gc-pause", "redlock", "another variant"); err == nil {
		t.Error("a case that nobody has played has a rate")
	}
	if _, err := d.acquire("local-of-nobody"); err == nil {
		t.Error("a lock that was not measured has a cost")
	}
	d.sweep.Interrupted = true
	if _, err := d.sweepText(); err == nil {
		t.Error("a sweep that is not complete is shown")
	}
}

// TestGradesComeFromData: no grade stands in the prose beside a lock's name without a look-up.
func TestGradesComeFromData(t *testing.T) {
	claim := regexp.MustCompile("`[a-z-]+` (is|was|comes to) (safe|unsafe|fenced)")
	if m := claim.FindString(prose); m != "" {
		t.Errorf("the template claims %q: look it up with seen or rate", m)
	}
}

func TestCells(t *testing.T) {
	all, err := cells([]byte(`lock:
  a: safe  # seen
  b: fenced+overrun
  c: n/a
  d: {any: [unsafe+double-grant, safe], rate: 1 of 3, why: x}
  e: {any: [unsafe+double-grant, safe+deadlock], rate: 0 of 3, why: x}
  f: unsafe+double-grant+deadlock  # seen, 2 of 2
  g: {any: [unsafe+double-grant, unsafe+double-grant+deadlock], rate: 1 of 2, why: x}
`))
	if err != nil {
		t.Fatal(err)
	}
	for nemesis, want := range map[string][2]string{
		"a": {"safe", "safe"},
		"b": {"fenced (overrun), not seen yet", "(fenced)"},
		"c": {"–", "–"},
		"d": {"unsafe (double-grant) in 1 of 3 runs, else safe", "unsafe*"},
		"e": {"unsafe (double-grant) in 0 of 3 runs, else safe, but deadlock", "safe, but deadlock*"},
		"f": {"unsafe (double-grant, deadlock)", "unsafe"},
		"g": {"unsafe (double-grant) in 1 of 2 runs, else unsafe (double-grant, deadlock)", "unsafe"},
	} {
		c := all["lock"][nemesis]
		if got := [2]string{c.String(), c.short()}; got != want {
			t.Errorf("%s: %q, want %q", nemesis, got, want)
		}
	}
}

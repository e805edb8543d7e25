package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const sample = "testdata/sample"

// TestSample: of a package whose tests are known to be weak exactly those mutants live that
// must.
func TestSample(t *testing.T) {
	var results strings.Builder
	same := sample + " Clip: x [< → <=] low"
	o := options{workers: 2, only: regexp.MustCompile(""), slow: time.Minute, run: "Test", histories: 3}
	tried, err := try(o, sample, map[string]string{same: "low is returned in either way"}, &results)
	if err != nil {
		t.Fatal(err)
	}
	r := tried.row
	var lives []string
	for line := range strings.Lines(results.String()) {
		name, rest, _ := strings.Cut(strings.TrimPrefix(line, sample+" "), "\t")
		became, _, _ := strings.Cut(rest, "\t")
		if outcome(became).lives() {
			lives = append(lives, name+": "+became)
		}
	}
	slices.Sort(lives)
	want := []string{
		"Both: a [&& → ||] b: not reached",
		"Clip: x [> → >=] high: lived",
		"Sum: i [< → <=] n: not reached",
		"Sum: xs[i] [< → <=] 0: not reached",
	}
	if d := cmp.Diff(want, lives); d != "" {
		t.Error(d)
	}
	if r.equivalent != 1 || r.killed < 5 || r.timedOut == 0 || r.lived != 1 || r.notReached != 3 {
		t.Errorf("%+v", r)
	}
}

// TestStrayEquivalent: a name that fits no mutant any more is an error.
func TestStrayEquivalent(t *testing.T) {
	o := options{workers: 1, only: regexp.MustCompile("^$")}
	_, err := try(o, sample, map[string]string{sample + " Clip: y [< → <=] low": "gone"}, nil)
	if err == nil || !strings.Contains(err.Error(), "names what is no mutant") {
		t.Error(err)
	}
}

func TestEquivalents(t *testing.T) {
	if _, err := equivalents(equivalentText); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{"a\nb\n\twhy\n", "\twhy\n", "a\n\twhy\na\n\twhy\n"} {
		if got, err := equivalents(bad); err == nil {
			t.Errorf("%q: %v", bad, got)
		}
	}
}

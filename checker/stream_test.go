package checker_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"locktorture/checker"
	"locktorture/checker/invariant"
	"locktorture/history"
)

// inParts judges a history in one piece and in parts of several sizes, and
// fails the test where the results differ.
func inParts(t *testing.T, h history.Source, o checker.Options, inv checker.Invariant) checker.Result {
	t.Helper()
	want, err := checker.JudgeEvery(h, o, inv, checker.Whole)
	if err != nil {
		t.Fatal(err)
	}
	addUp(t, want)
	for _, every := range []int{1, 10, 200} {
		got, err := checker.JudgeEvery(h, o, inv, every)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(text(t, want), text(t, got)); d != "" {
			t.Errorf("in parts of %d: %s", every, d)
		}
	}
	return want
}

// text is a result as it stands in result.json, but for which of several
// proofs of a lock's being not linearizable is shown.
func text(t *testing.T, r checker.Result) []string {
	t.Helper()
	for i := range r.Properties {
		p := &r.Properties[i]
		for j, a := range p.Anomalies {
			if a.Kind == "nonlinearizable" && a.Store == "" {
				p.Anomalies[j] = checker.Anomaly{Kind: a.Kind, Lock: a.Lock}
			}
		}
	}
	r.Incidents.List = slices.Clone(r.Incidents.List)
	for i := range r.Incidents.List {
		if a := r.Incidents.List[i].Witness; a.Kind == "nonlinearizable" && a.Store == "" {
			r.Incidents.List[i] = checker.Incident{Number: r.Incidents.List[i].Number, Anomalies: r.Incidents.List[i].Anomalies}
			r.Incidents.Causes, r.Headline = nil, ""
		}
	}
	b, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(b), "\n")
}

func TestInPartsCorpus(t *testing.T) {
	for name, c := range corpus(t) {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".json"), func(t *testing.T) {
			t.Parallel()
			inParts(t, &history.File{Name: name + "l.gz"}, c.Options, map[string]checker.Invariant{
				"counter": invariant.Counter{}, "scheduler": invariant.Scheduler{}, "seckill": invariant.Seckill{}, "statemachine": invariant.StateMachine{},
			}[c.Workload])
		})
	}
}

// TestInPartsRandom judges histories of locks that are good, bad and worse.
func TestInPartsRandom(t *testing.T) {
	seed := uint64(20261121)
	kinds := []checker.Options{bounded, tokened, watched, mutex, boundedToo}
	found := map[string]int{}
	runs := 400
	if testing.Short() {
		runs = 200
	}
	for i := range runs {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		o := kinds[i%len(kinds)]
		switch {
		case o.Tokens && i%2 == 0:
			o.Model = "fenced"
		case i%7 == 0:
			o.Model = "mutex"
		case i%11 == 0:
			o.Model = "timed-lease"
		}
		o.Nemeses = []string{"pause", killed}
		o.Fair = i%3 == 0
		h := wild(r, o)
		if err := history.Validate(h); err != nil {
			t.Fatalf("seed %d/%d: the test's own history: %v", seed, i, err)
		}
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			for kind, n := range inParts(t, h, o, invariant.Counter{}).Counts.Anomalies {
				found[kind] += n
			}
		})
	}
	t.Log(found)
	for _, kind := range []string{
		"double-grant", "late-notice", "void-grant", "false-validity", "overrun", "token-regression", "token-duplicate", "stale-accepted", "fence-lockout",
		"foreign-release", "deadlock", "orphan", "immortal", "nonlinearizable", "lost-update",
	} {
		if found[kind] == 0 && !testing.Short() {
			t.Errorf("no %s in any of the histories: they prove nothing about it", kind)
		}
	}
}

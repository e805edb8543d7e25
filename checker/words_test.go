package checker_test

import (
	"regexp"
	"slices"
	"strconv"
	"testing"

	"locktorture/checker"
	"locktorture/history"
)

// TestClientsOfTheHistory: to a model the parties of a meeting are processes of its own, whose
// numbers nobody would find in the history; a sentence names the clients of the history.
func TestClientsOfTheHistory(t *testing.T) {
	for _, tt := range []struct {
		model string
		o     checker.Options
		play  func(b *build)
	}{
		{"latch", latch, func(b *build) { b.count("a", 1, 2, history.OK).count("b", 6, 7, history.OK).await(1, 5, history.OK) }},
		{"barrier", barrier, func(b *build) { b.party(7, 1, 1, 3).party(8, 2, 4, 5) }},
	} {
		t.Run(tt.model, func(t *testing.T) {
			b := newBuild()
			tt.play(b)
			tt.o.Model = tt.model
			h := b.history(t)
			said := ""
			for _, p := range checker.Check(h, tt.o, nil).Properties {
				for _, a := range p.Anomalies {
					if a.Kind == "nonlinearizable" {
						said = a.Sentence
					}
				}
			}
			named := regexp.MustCompile(`\b(?:c|process )(-?\d+)\b`).FindAllStringSubmatch(said, -1)
			if len(named) == 0 {
				t.Fatalf("no client is named: %q", said)
			}
			for _, m := range named {
				n, err := strconv.Atoi(m[1])
				if err != nil || !slices.ContainsFunc(h, func(op history.Op) bool { return op.Client == n && n > 0 }) {
					t.Errorf("client %s is in no entry: %s", m[1], said)
				}
			}
		})
	}
}

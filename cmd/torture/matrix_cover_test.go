package main

import (
	"maps"
	"slices"
	"testing"

	"locktorture/matrix"
	"locktorture/registry"
)

// TestExpectedVerdictsCoverAll: results/expected.yaml says something about
// every backend and every fault that exists.
func TestExpectedVerdictsCoverAll(t *testing.T) {
	t.Chdir("../..") // where the drivers of the repository are found
	e, err := matrix.ReadExpectations("results/expected.yaml", lockNamesKnown())
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range lockNamesKnown() {
		for _, n := range append([]string{"none"}, slices.Sorted(maps.Keys(registry.Nemeses()))...) {
			if e.Of(b, n, "counter") == "" {
				t.Errorf("nothing is expected of %s under %s", b, n)
			}
		}
	}
}

package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"locktorture/matrix"
	"locktorture/nemesis"
	"locktorture/registry"
)

// expectedFile is what each lock must come to under each fault.
const expectedFile = "results/expected.yaml"

// TestExpectedVerdictsCoverAll: results/expected.yaml says something about
// every backend and every fault that exists.
func TestExpectedVerdictsCoverAll(t *testing.T) {
	t.Chdir("../..") // where the drivers of the repository are found
	known := readEnvironment().files.Names()
	e, err := matrix.ReadExpectations(expectedFile, known)
	if err != nil {
		t.Fatal(err)
	}
	faults := append([]string{"none"}, nemesis.Whole(registry.Nemeses())...)
	lacking := map[string][]string{} // faults by backend
	for _, b := range known {
		for _, n := range faults {
			if e.Of(b, n, "counter") == "" {
				lacking[b] = append(lacking[b], n)
			}
		}
	}
	for _, command := range expectedCommands(lacking) {
		t.Errorf("%s lacks rows; this measures and adds them (look at each: is it what the design promises?):\n\t%s", expectedFile, command)
	}
}

// expectedCommands are those that measure what is lacking: a command for each fault that more
// than one backend lacks, and one for each backend that lacks others.
func expectedCommands(lacking map[string][]string) (commands []string) {
	backends := map[string][]string{} // by fault
	for b, faults := range lacking {
		for _, n := range faults {
			backends[n] = append(backends[n], b)
		}
	}
	for _, b := range slices.Sorted(maps.Keys(lacking)) {
		if slices.ContainsFunc(lacking[b], func(n string) bool { return len(backends[n]) == 1 }) {
			commands = append(commands, "make expected BACKEND="+b)
		}
	}
	for _, n := range slices.Sorted(maps.Keys(backends)) {
		if len(backends[n]) > 1 {
			commands = append(commands, fmt.Sprintf("make expected NEMESIS=%s   # %d backends", n, len(backends[n])))
		}
	}
	return commands
}

func TestExpectedCommands(t *testing.T) {
	got := expectedCommands(map[string][]string{"mine": {"clock", "none", "storm"}, "redlock": {"storm"}})
	want := []string{"make expected BACKEND=mine", "make expected NEMESIS=storm   # 2 backends"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestExpectedVerdictsAreExplained: where runs of a row differ, somebody has said why.
func TestExpectedVerdictsAreExplained(t *testing.T) {
	text, err := os.ReadFile("../../" + expectedFile)
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(string(text), "\n") {
		if strings.Contains(line, matrix.Unexplained) {
			t.Errorf("%s:%d: runs of this row came to different verdicts; write into why what makes one differ from the next:\n%s", expectedFile, i+1, line)
		}
	}
}

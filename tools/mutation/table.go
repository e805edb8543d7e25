package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// A row is what became of the mutants of a package.
type row struct {
	pkg                                             string
	killed, timedOut, lived, notReached, equivalent int
	took                                            time.Duration
}

func (r *row) count(o outcome) {
	switch o {
	case killed:
		r.killed++
	case timedOut:
		r.timedOut++
	case lived:
		r.lived++
	case notReached:
		r.notReached++
	case equivalent:
		r.equivalent++
	}
}

// score is the share of the mutants that were killed, in per cent. A mutant
// that makes no difference is none.
func (r row) score() float64 {
	dead := r.killed + r.timedOut
	if dead == 0 {
		return 0
	}
	return 100 * float64(dead) / float64(dead+r.lived+r.notReached)
}

func table(rows []row) string {
	var b strings.Builder
	b.WriteString("| package | mutants | killed | timed out | lived | not reached | equivalent | killed of those that differ | took |\n")
	b.WriteString("|---|---|---|---|---|---|---|---|---|\n")
	for _, r := range rows {
		all := r.killed + r.timedOut + r.lived + r.notReached + r.equivalent
		fmt.Fprintf(&b, "| `%s` | %d | %d | %d | %d | %d | %d | %.1f %% | %s |\n", r.pkg, all,
			r.killed, r.timedOut, r.lived, r.notReached, r.equivalent, r.score(), r.took.Round(time.Minute))
	}
	return b.String()
}

const (
	tableBegin = "<!-- table of mutation: written by make mutation -->\n"
	tableEnd   = "<!-- end of table of mutation -->"
)

// intoMarkdown writes the tables between their marks.
func intoMarkdown(name, tables string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(text), tableBegin)
	_, after, closed := strings.Cut(rest, tableEnd)
	if !ok || !closed {
		return fmt.Errorf("%s has no marks of the table", name)
	}
	commit, err := exec.Command("git", "describe", "--always", "--dirty").Output()
	if err != nil {
		return fmt.Errorf("which commit: %w", err)
	}
	made := fmt.Sprintf("\nCommit %s.\n\n%s\n", strings.TrimSpace(string(commit)), tables)
	return os.WriteFile(name, []byte(before+tableBegin+made+tableEnd+after), 0o644)
}

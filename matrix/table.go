package matrix

import (
	"fmt"
	"slices"
	"strings"

	"locktorture/checker"
	"locktorture/report/scorecard"
)

// A liveTable is what stands on the terminal while a matrix runs: a lock a
// line, a column for each set of faults, in each cell the worst grade so far.
type liveTable struct {
	nemeses []string
	color   bool
	locks   []string // the one that ran last stands last
	cells   map[[2]string]string
}

// The words of the cells that have no grade.
const (
	cellEmpty   = "·"
	cellRunning = "…"
	cellBroken  = "fenced!" // and the lock broke its promise
)

func newLiveTable(nemeses []string, color bool) *liveTable {
	return &liveTable{nemeses: nemeses, color: color, cells: map[[2]string]string{}}
}

// begin shows that a cell runs.
func (t *liveTable) begin(try scorecard.Try) {
	t.touch(try.Backend)
	key := [2]string{try.Backend, try.Nemesis}
	if t.cells[key] == "" {
		t.cells[key] = cellRunning
	}
}

// note keeps the worst that a cell came to.
func (t *liveTable) note(try scorecard.Try) {
	t.touch(try.Backend)
	key := [2]string{try.Backend, try.Nemesis}
	word := map[string]string{scorecard.NotPossible: "n/a", scorecard.Tried: string(try.Grade())}[try.State]
	if word == string(checker.FencedG) && try.Result.BrokenBy == checker.TheLock {
		word = cellBroken
	}
	if word == "" {
		word = "failed"
	}
	order := []string{"", cellRunning, "n/a", string(checker.Safe), string(checker.FencedG), string(checker.Unknown), cellBroken, string(checker.Unsafe), "failed"}
	if slices.Index(order, word) > slices.Index(order, t.cells[key]) {
		t.cells[key] = word
	}
}

// touch puts a lock at the end, where it is seen.
func (t *liveTable) touch(lock string) {
	t.locks = append(slices.DeleteFunc(t.locks, func(l string) bool { return l == lock }), lock)
}

// lines returns the heading and the locks that ran last, at most so many, none wider than the
// terminal.
func (t *liveTable) lines(width, most int) []string {
	locks := t.locks[max(0, len(t.locks)-most):]
	first := 4
	for _, l := range locks {
		first = max(first, len(l))
	}
	first = min(first, max(4, width/3))
	const column = 8 // of the longest grade and a space
	columns := min(len(t.nemeses), max(0, (width-1-first)/column))
	heading := fit("lock", first)
	for _, n := range t.nemeses[:columns] {
		heading += " " + fit(n, column-1)
	}
	out := []string{heading}
	for _, lock := range locks {
		line := fit(lock, first)
		for _, n := range t.nemeses[:columns] {
			word := t.cells[[2]string{lock, n}]
			if word == "" {
				word = cellEmpty
			}
			line += " " + t.paint(word, fit(word, column-1))
		}
		out = append(out, line)
	}
	return out
}

// paint colours a cell by its grade.
func (t *liveTable) paint(word, text string) string {
	code := map[string]int{string(checker.Safe): 32, string(checker.FencedG): 32, string(checker.Unsafe): 31, cellBroken: 31, string(checker.Unknown): 33, "failed": 35}[word]
	if !t.color || code == 0 {
		return text
	}
	return fmt.Sprintf("\x1b[%dm%s\x1b[0m", code, text)
}

// fit makes a text exactly so many characters wide.
func fit(s string, width int) string {
	s = cut(s, width)
	return s + strings.Repeat(" ", max(0, width-len([]rune(s))))
}

// cut makes a text at most so many characters wide.
func cut(s string, width int) string {
	if r := []rune(s); len(r) > width {
		return string(r[:max(0, width)])
	}
	return s
}

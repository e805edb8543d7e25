package matrix

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"locktorture/internal/atomicfile"
	"locktorture/internal/exit"
	"locktorture/report"
	"locktorture/report/scorecard"
)

// A matrixFile is matrix.json.
type matrixFile struct {
	Start  time.Time       `json:"start"`
	Took   float64         `json:"took"` // s, of this execution
	Commit string          `json:"commit"`
	Exit   int             `json:"exit"`
	Rows   []scorecard.Row `json:"rows"`
}

// Show prints a matrix, writes its files and returns its exit code. Neither keeps the other from
// being done.
func (m *Matrix) Show(out io.Writer) (int, error) {
	rows := m.rows()
	file := matrixFile{Start: m.start, Took: time.Since(m.start).Seconds(), Commit: m.config.Commit, Exit: m.code(rows), Rows: rows}
	object, err := json.MarshalIndent(file, "", " ")
	if err != nil {
		return 0, err
	}
	object = append(object, '\n')
	if m.config.JSON {
		_, err = out.Write(object)
	} else {
		err = m.print(out, rows)
	}
	write := func(name string, fill func(io.Writer) error) {
		err = errors.Join(err, atomicfile.Write(filepath.Join(m.config.Out, name), fill))
	}
	write("matrix.json", func(w io.Writer) error { _, err := w.Write(object); return err })
	write("matrix.md", func(w io.Writer) error { return scorecard.Markdown(w, rows) })
	write("expected.yaml", func(w io.Writer) error { return writeExpectations(w, rows) })
	write("index.html", func(w io.Writer) error { return m.card(w, rows) })
	write("junit.xml", func(w io.Writer) error { return report.JUnit(w, scorecard.Cases(rows)) })
	return file.Exit, err
}

func (m *Matrix) print(out io.Writer, rows []scorecard.Row) error {
	err := scorecard.Text(out, rows)
	for _, line := range slices.Concat(m.remarks(rows), m.recorded, []string{"matrix: " + m.config.Out}) {
		if err == nil {
			_, err = fmt.Fprintln(out, line)
		}
	}
	return err
}

// rows sums the matrix up and compares it with what was expected.
func (m *Matrix) rows() []scorecard.Row {
	rows := scorecard.Rows(m.tries())
	m.config.Expected.judge(rows, m.config.Seeds)
	return rows
}

// code is the exit code of the matrix: of the worst cell, where an expectation
// decides for the cells that have a verdict. A matrix that has seen nothing
// is unknown: a night in which nothing ran must not be green.
func (m *Matrix) code(rows []scorecard.Row) int {
	worst, seen := exit.OK, false
	for _, r := range rows {
		seen = seen || r.Seeds > 0
		known := 0
		if m.config.Expected != nil {
			_, known = r.Union()
		}
		switch {
		case r.Differs != "" && known == 0 && r.Seeds > 0:
			worst = exit.Worse(worst, exit.Unknown)
		case r.Differs != "":
			worst = exit.Worse(worst, exit.Violated)
		}
		for _, t := range r.Tries {
			switch {
			case t.State == scorecard.HarnessFailed:
				worst = exit.Worse(worst, exit.Harness)
			case t.State == scorecard.Refused:
				worst = exit.Worse(worst, exit.BadUsage)
			case t.State == scorecard.Tried && m.config.Expected == nil:
				worst = exit.Worse(worst, t.Exit)
			}
		}
	}
	if !seen {
		worst = exit.Worse(worst, exit.Unknown)
	}
	return worst
}

// remarks are the lines below the table: what is not as expected, what was
// not run, and how to see one again.
func (m *Matrix) remarks(rows []scorecard.Row) []string {
	var out []string
	states, unjudged := map[string]int{}, 0
	for _, r := range rows {
		if r.Seeds == 0 {
			states[r.State]++
		}
		if r.Expected == notJudged && r.Seeds > 0 {
			unjudged++
		}
		if r.Differs != "" {
			out = append(out, fmt.Sprintf("not as expected: %s %s %s: %s", r.Backend, r.Nemesis, r.Workload, r.Differs))
		}
		// Without an expectation one cell is shown how to see again; the others stand in junit.xml.
		if again := r.Reproduce(); again != "" && (r.Differs != "" || m.config.Expected == nil && len(out) == 0 && rowFails(r)) {
			out = append(out, "reproduce: "+again, "check again: torture check "+filepath.Join(m.config.Out, r.Dir))
		}
	}
	line := fmt.Sprintf("%d cells", len(rows))
	for _, state := range []string{scorecard.NotRun, scorecard.NotPossible, scorecard.NotServed, scorecard.Refused, scorecard.HarnessFailed} {
		if states[state] > 0 {
			line += fmt.Sprintf(", %d %s", states[state], state)
		}
	}
	if unjudged > 0 {
		line += fmt.Sprintf(", %d %s", unjudged, notJudged)
	}
	if m.config.Expected != nil && len(out) == 0 {
		line += ", all that has a verdict as expected"
	}
	return append(out, line)
}

// rowFails reports whether a seed of the row ended in an exit code that is not 0.
func rowFails(r scorecard.Row) bool {
	return slices.ContainsFunc(r.Tries, func(t scorecard.Try) bool { return t.State == scorecard.Tried && t.Exit != exit.OK })
}

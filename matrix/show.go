package matrix

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"locktorture/checker"
	"locktorture/internal/atomicfile"
	"locktorture/internal/exit"
	"locktorture/internal/terminal"
	"locktorture/report"
	"locktorture/report/scorecard"
)

// A File has the results of a matrix; matrix.json holds it.
type File struct {
	Start  time.Time       `json:"start"`
	Took   float64         `json:"took"` // s; duration of this execution
	Commit string          `json:"commit"`
	Exit   int             `json:"exit"`
	Rows   []scorecard.Row `json:"rows"`
}

// page is the score card in the directory of a matrix.
const page = "index.html"

// Show prints a matrix, writes its files and returns its exit code. Neither keeps the other
// from being done. Interrupted tells that it was ended before its time, by a signal.
func (m *Matrix) Show(out io.Writer, interrupted bool) (int, error) {
	rows := m.rows()
	causes := m.causes(rows)
	if interrupted {
		causes = []cause{{exit.Interrupted, "it was interrupted", nil}}
	}
	file := File{Start: m.start, Took: time.Since(m.start).Seconds(), Commit: m.config.Commit, Exit: worst(causes), Rows: rows}
	object, err := report.Indented(file)
	if err != nil {
		return 0, err
	}
	if m.config.JSON {
		_, err = out.Write(object)
	} else {
		err = m.print(out, rows, causes)
	}
	write := func(name string, fill func(io.Writer) error) {
		err = errors.Join(err, atomicfile.WriteIn(m.config.Out, name, fill))
	}
	write("matrix.json", func(w io.Writer) error { _, err := w.Write(object); return err })
	write("matrix.md", func(w io.Writer) error { return scorecard.Markdown(w, rows) })
	write("expected.yaml", func(w io.Writer) error { return writeExpectations(w, rows) })
	write(page, func(w io.Writer) error { return m.card(w, rows) })
	write("junit.xml", func(w io.Writer) error { return report.JUnit(w, scorecard.Cases(rows)) })
	return file.Exit, err
}

// print writes the table, and below it what a reader must know of it.
func (m *Matrix) print(out io.Writer, rows []scorecard.Row, causes []cause) error {
	width := terminal.Width(out)
	if err := scorecard.Text(out, rows, width); err != nil {
		return err
	}
	lines := slices.Concat([]string{""}, m.remarks(rows), m.recorded, unjudged(rows), again(rows), []string{
		m.counts(rows), why(causes), "page: " + filepath.Join(m.config.Out, page),
	})
	for _, line := range lines {
		if !strings.HasPrefix(line, "reproduce: ") { // which is copied
			line = strings.Join(terminal.Wrap(line, width-2), "\n  ") // -2: the lines that follow are indented
		}
		if _, err := fmt.Fprintln(out, line); err != nil {
			return err
		}
	}
	return nil
}

// rows sums the matrix up and compares it with what was expected.
func (m *Matrix) rows() []scorecard.Row {
	rows := scorecard.Rows(m.tries())
	m.config.Expected.judge(rows, m.config.Seeds)
	return rows
}

// remarks returns what is not as expected, and how to see one again.
func (m *Matrix) remarks(rows []scorecard.Row) (out []string) {
	for _, r := range rows {
		if r.Differs != "" {
			out = append(out, fmt.Sprintf("not as expected: %s: %s", cell(r), r.Differs))
		}
		// Without an expectation one cell is shown how to see again; the others stand in
		// junit.xml.
		if again := r.Reproduce(); again != "" && (r.Differs != "" || m.config.Expected == nil && len(out) == 0 && rowFails(r)) {
			out = append(out, "reproduce: "+again, "check again: torture check "+filepath.Join(m.config.Out, r.Dir))
		}
	}
	return out
}

// mostUnjudged is how many seeds without a verdict are told one by one.
const mostUnjudged = 20

// unjudged tells, of each seed that came to nothing, why: it is unknown, or it could not be
// run.
func unjudged(rows []scorecard.Row) (out []string) {
	more := 0
	for _, r := range rows {
		for _, t := range r.Tries {
			what, reason := t.State, t.Reason
			switch {
			case t.State == scorecard.Tried && t.Grade() == checker.Unknown && t.Result != nil:
				what, reason = string(checker.Unknown), t.Result.Reason
			case t.State != scorecard.Refused && !scorecard.Broken(t.State):
				continue
			}
			if len(out) == mostUnjudged {
				more++
				continue
			}
			out = append(out, fmt.Sprintf("%s: %s, seed %d: %s", what, cell(r), t.Seed, reason))
		}
	}
	if more > 0 {
		out = append(out, fmt.Sprintf("and %d more, which the page lists", more))
	}
	return out
}

// again tells which tries took more than one pod.
func again(rows []scorecard.Row) (out []string) {
	tries, pods := 0, 0
	for _, r := range rows {
		for _, t := range r.Tries {
			if t.Pods < 2 {
				continue
			}
			if tries++; tries <= mostUnjudged {
				out = append(out, fmt.Sprintf("%d pods: %s, seed %d", t.Pods, cell(r), t.Seed))
			}
			pods += t.Pods - 1
		}
	}
	if tries > 0 {
		out = append(out, fmt.Sprintf("%d pods were lost or failed and made again, for %d runs", pods, tries))
	}
	return out
}

// counts says how many cells came to what.
func (m *Matrix) counts(rows []scorecard.Row) string {
	line, judged, differ, ignored := scorecard.Counts(rows), false, false, 0
	for _, r := range rows {
		judged, differ = judged || r.Seeds > 0, differ || r.Differs != ""
		if r.Expected == notJudged && r.Seeds > 0 {
			ignored++
		}
	}
	if ignored > 0 {
		line += fmt.Sprintf(", %d %s", ignored, notJudged)
	}
	if m.config.Expected != nil && judged && !differ {
		line += ", all verdicts as expected"
	}
	return line
}

// cell names a cell.
func cell(r scorecard.Row) string { return r.Backend + " " + r.Nemesis + " " + r.Workload }

// rowFails reports whether a seed of the row ended in an exit code that is not 0.
func rowFails(r scorecard.Row) bool {
	return slices.ContainsFunc(r.Tries, func(t scorecard.Try) bool { return t.State == scorecard.Tried && t.Exit != exit.OK })
}

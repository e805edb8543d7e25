package scorecard

import (
	"fmt"
	"io"
	"maps"
	"net/url"
	"slices"
	"strings"

	"locktorture/internal/terminal"
	"locktorture/report/words"
)

// rowColumns are the columns of a matrix as text and as Markdown.
var rowColumns = []string{"backend", "nemesis", "workload", "seeds", "grades", "anomalies", "grants", "grants/s", "acquire p50/p99", "effect", "loss plain/fenced", "run"}

// cells returns the texts of a row, one for each column.
func (r Row) cells() []string {
	out := []string{words.Word(r.Backend), words.Word(r.Nemesis), words.Word(r.Workload)}
	if r.Seeds == 0 {
		return append(out, "–", words.Word(r.State), words.Sentence(r.Reason), "", "", "", "", "", "")
	}
	grades := r.Grades
	switch r.State {
	case HarnessFailed:
		grades += ", harness failed"
	case DriverFailed:
		grades += ", " + DriverFailed
	}
	return append(out, fmt.Sprint(r.Seeds), grades, incidentsLine(r.Incidents, r.Anomalies), words.Count(r.Grants), words.Figures(r.GrantRate),
		words.Span(r.P50)+" / "+words.Span(r.P99), fmt.Sprintf("%d of %d", r.Bites, r.Faults), lossLine(r.Loss), words.Word(r.Dir))
}

// incidentsLine says how many incidents there were, and of which anomalies: "4 incidents:
// double-grant ×257".
func incidentsLine(n int, anomalies map[string]int) string {
	line := anomaliesLine(anomalies)
	if n == 0 { // none, or a result of before they were counted
		return line
	}
	return words.Plural(n, "incident", "incidents") + ": " + line
}

// anomaliesLine lists anomalies with their counts, by name.
func anomaliesLine(m map[string]int) string {
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		if m[k] > 0 {
			parts = append(parts, fmt.Sprintf("%s ×%s", words.Word(k), words.Count(m[k])))
		}
	}
	if len(parts) == 0 {
		return noAnomalies
	}
	return strings.Join(parts, ", ")
}

const noAnomalies = "none"

func lossLine(list []RowLoss) string {
	var parts []string
	for _, l := range list {
		if l.Of == 0 {
			parts = append(parts, words.Word(l.Store)+" –")
			continue
		}
		parts = append(parts, fmt.Sprintf("%s %s/%s", words.Word(l.Store), words.Count(l.Lost), words.Count(l.Of)))
	}
	return strings.Join(parts, ", ")
}

// flexible is the column that is broken where the table is too wide for a terminal.
const flexible = "anomalies"

// roomy is how wide it should be, in characters.
const roomy = 24

// expendable returns the columns that are left out before that, the least telling first.
func expendable() []string {
	return []string{"run", "grants/s", "acquire p50/p99", "grants", "loss plain/fenced", "effect", "seeds"}
}

// Text writes the table of a matrix for a terminal of so many columns; 0: for any.
func Text(w io.Writer, rows []Row, width int) error {
	columns := slices.Clone(rowColumns)
	table := terminal.Table{strings.Split(strings.ToUpper(strings.Join(columns, "\t")), "\t")}
	for _, r := range rows {
		table = append(table, r.cells())
	}
	for _, column := range expendable() {
		if width == 0 || table.Rest(slices.Index(columns, flexible))+roomy <= width {
			break
		}
		i := slices.Index(columns, column)
		columns = slices.Delete(columns, i, i+1)
		for n := range table {
			table[n] = slices.Delete(table[n], i, i+1)
		}
	}
	lines := table.Lines(slices.Index(columns, flexible), width)
	if width > 0 && table.Rest(slices.Index(columns, flexible))+roomy > width {
		lines = below(table, slices.Index(columns, flexible), width)
	}
	for _, line := range lines {
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}

// below returns a table whose flexible column has no room beside the others: what is to stand
// in it stands below its row. The last of the others is then the one that is broken.
func below(table terminal.Table, flex, width int) (lines []string) {
	rest := make(terminal.Table, len(table))
	for i, row := range table {
		rest[i] = slices.Delete(slices.Clone(row), flex, flex+1)
	}
	broken := rest.Rows(len(rest[0])-1, width)
	for i, row := range table {
		lines = append(lines, broken[i]...)
		if text := row[flex]; i > 0 && text != noAnomalies {
			for _, part := range terminal.Wrap(text, width-4) {
				lines = append(lines, "    "+part)
			}
		}
	}
	return lines
}

// Markdown writes the table of a matrix for a job summary, after a list of
// what is not as expected. Links lead to the reports of the runs, relative to
// the directory of the matrix.
func Markdown(w io.Writer, rows []Row) error {
	var b strings.Builder
	for _, r := range rows {
		if r.Differs != "" {
			fmt.Fprintf(&b, "- not as expected: %s\n", markdown(strings.Join([]string{words.Word(r.Backend), words.Word(r.Nemesis), words.Word(r.Workload)}, " ")+": "+words.Sentence(r.Differs)))
		}
	}
	if b.Len() > 0 {
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "| %s |\n|%s\n", strings.Join(rowColumns, " | "), strings.Repeat("---|", len(rowColumns)))
	for _, r := range rows {
		cells := r.cells()
		for i := range cells {
			cells[i] = markdown(cells[i])
		}
		if r.Dir != "" {
			cells[len(cells)-1] = fmt.Sprintf("[report](<%s/report.html>)", escapeLink(r.Dir))
		}
		fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | "))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// markdown makes a text harmless inside a cell of a Markdown table: nothing
// of it is markup, HTML, a link or the end of the cell.
func markdown(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r == '&':
			b.WriteString("&amp;")
		case strings.ContainsRune("\\`*_[]|~!#@", r):
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// escapeLink makes a path safe inside the angle brackets of a link.
func escapeLink(path string) string {
	if len(path) > words.MaxSentence {
		path = path[:words.MaxSentence]
	}
	return (&url.URL{Path: path}).EscapedPath()
}

// TryLine says in a few words what a try came to.
func TryLine(t Try) string {
	if t.State != Tried {
		return words.Word(t.State) + ": " + words.Sentence(t.Reason)
	}
	return words.Word(string(t.Grade())) + ", " + incidentsLine(t.Result.Incidents.Total, t.Result.Counts.Anomalies)
}

package record

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"locktorture/scenarios"
)

// The markers of the drawing on a page. A play makes the drawing, which differs from play to play.
// The rest of the page depends only on the scenario's data.
const (
	drawingBegin = "```mermaid\n"
	drawingEnd   = "```\n"
)

// DrawingOf reads the drawing from the page in a file. It returns false if there is none.
func DrawingOf(file string) (string, bool) {
	page, err := os.ReadFile(file)
	if err != nil {
		return "", false
	}
	_, rest, ok := strings.Cut(string(page), drawingBegin)
	drawing, _, closed := strings.Cut(rest, drawingEnd)
	return drawing, ok && closed
}

// Page returns the page of one scenario in Markdown, with a Mermaid drawing.
func Page(n scenarios.Named, drawing string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n*%s* %s\n\n%s\n\n", n.Name, sentence(n.Title), n.Shows, n.Story)
	fmt.Fprintf(&b, "%s%s%s\n", drawingBegin, drawing, drawingEnd)
	b.WriteString("Expected:\n\n")
	rows := outcomes(n.Cases)
	rows[0].locks[0] += " (drawn)"
	for _, row := range rows {
		fmt.Fprintf(&b, "- %s: %s\n", strings.Join(row.locks, ", "), strings.ReplaceAll(row.outcome, " + ", "+"))
	}
	fmt.Fprintf(&b, "\n**Lesson:** %s\n\nSource: %s.%s\n\n    torture scenario run %s\n", n.Lesson, n.Source, findingsOn(n), n.Name)
	return b.String()
}

// An outcome is what is expected of several locks.
type outcome struct {
	outcome string
	locks   []string
}

// outcomes groups the cases by what is expected of them, in the order in which they stand.
func outcomes(cases []scenarios.Case) (rows []outcome) {
	for _, c := range cases {
		i := slices.IndexFunc(rows, func(r outcome) bool { return r.outcome == c.Outcome() })
		if i < 0 {
			rows, i = append(rows, outcome{outcome: c.Outcome()}), len(rows)
		}
		rows[i].locks = append(rows[i].locks, c.Name())
	}
	for i := range rows {
		rows[i].locks = joined(rows[i].locks)
	}
	return rows
}

// joined writes the variants of a lock, which stand next to each other, as one: "etcd (kill; stop)".
func joined(names []string) (out []string) {
	for _, name := range names {
		lock, variant, ok := strings.Cut(name, " (")
		if n := len(out); ok && n > 0 && strings.HasPrefix(out[n-1], lock+" (") {
			out[n-1] = strings.TrimSuffix(out[n-1], ")") + "; " + variant
			continue
		}
		out = append(out, name)
	}
	return out
}

// findingsOn names the libraries in which the failure was found, or returns "".
func findingsOn(n scenarios.Named) (text string) {
	for _, c := range n.Findings() {
		text += fmt.Sprintf(" Found in %s %s", c.Found.Library, c.Found.Version)
		if c.Found.Link != "" {
			text += fmt.Sprintf(" ([upstream](%s))", c.Found.Link)
		}
		text += "."
	}
	return text
}

// sentence returns a title with a capital and a full stop.
func sentence(s string) string {
	if !strings.HasSuffix(s, "?") {
		s += "."
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

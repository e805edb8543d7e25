package record

import (
	"fmt"
	"os"
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
	fmt.Fprintf(&b, "# %s\n\n%s.\n\n", n.Name, sentenceCase(n.Title))
	fmt.Fprintf(&b, "Described in: %s.\n\n%s\n\n", n.Source, n.Shows)
	fmt.Fprintf(&b, "## What happens\n\n%s\n\n", n.Story)
	fmt.Fprintf(&b, "Drawn from a run with %s:\n\n%s%s%s\n", n.Cases[0].Name(), drawingBegin, drawing, drawingEnd)
	fmt.Fprintf(&b, "## What must be seen\n\n| lock | outcome |\n|---|---|\n")
	for _, c := range n.Cases {
		fmt.Fprintf(&b, "| %s | %s |\n", c.Name(), c.Outcome())
	}
	b.WriteString(findingsOn(n))
	fmt.Fprintf(&b, "\n## Lesson\n\n%s\n\n", n.Lesson)
	fmt.Fprintf(&b, "## Play it\n\n    torture scenario run %s\n    torture scenario run %s --backend %s\n", n.Name, n.Name, n.Cases[0].Backend)
	return b.String()
}

// findingsOn returns the findings about libraries, or "" if the scenario shows no failure of one.
func findingsOn(n scenarios.Named) string {
	found := n.Findings()
	if len(found) == 0 {
		return ""
	}
	text := "\n## Found in libraries\n\n| library | version | failure | rounds | documented upstream |\n|---|---|---|---|---|\n"
	for _, c := range found {
		f := c.Found
		text += fmt.Sprintf("| %s | %s | %s | %d of %d | %s |\n", f.Library, f.Version, f.Failure, f.Shown, f.Of, f.Upstream())
	}
	return text
}

func sentenceCase(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

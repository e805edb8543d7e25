package record

import (
	"fmt"
	"strings"

	"locktorture/scenarios"
)

// The markers of the table of findings about libraries in results/track-record.md.
const (
	librariesBegin = "<!-- libraries -->\n"
	librariesEnd   = "<!-- end of the libraries -->\n"
)

// librariesTable returns the scenarios' findings about libraries.
func librariesTable() string {
	text := "| scenario | library | version | failure | rounds | documented upstream |\n|---|---|---|---|---|---|\n"
	for _, n := range scenarios.All() {
		for _, c := range n.Findings() {
			f := c.Found
			text += fmt.Sprintf("| [`%s`](../docs/scenarios/%s.md) | %s | %s | %s | %d of %d | %s |\n",
				n.Name, n.Name, f.Library, f.Version, f.Failure, f.Shown, f.Of, f.Upstream())
		}
	}
	return text
}

// updateLibraries updates the table in a page.
func updateLibraries(page string) (string, error) {
	before, rest, ok := strings.Cut(page, librariesBegin)
	_, after, closed := strings.Cut(rest, librariesEnd)
	if !ok || !closed {
		return "", fmt.Errorf("the page has no place for the libraries between %s and %s", strings.TrimSpace(librariesBegin), strings.TrimSpace(librariesEnd))
	}
	return before + librariesBegin + librariesTable() + librariesEnd + after, nil
}

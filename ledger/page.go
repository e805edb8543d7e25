package ledger

import (
	"fmt"
	"regexp"
	"strings"
)

// endMarker ends a table of the ledger in a page.
const endMarker = "<!-- end -->"

var beginMarker = regexp.MustCompile(`(?m)^<!-- ledger: table ([a-z-]+) -->$`)

// Tables returns the names of the tables that a page asks for.
func Tables(page string) (names []string) {
	for _, m := range beginMarker.FindAllStringSubmatch(page, -1) {
		names = append(names, m[1])
	}
	return names
}

// Render writes tables anew, each between its markers:
//
//	<!-- ledger: table NAME -->
//	…
//	<!-- end -->
func Render(page string, table func(name string) (string, error)) (string, error) {
	var out strings.Builder
	for {
		at := beginMarker.FindStringSubmatchIndex(page)
		if at == nil {
			out.WriteString(page)
			return out.String(), nil
		}
		name := page[at[2]:at[3]]
		_, rest, closed := strings.Cut(page[at[1]:], endMarker)
		if !closed || beginMarker.MatchString(page[at[1]:len(page)-len(rest)]) {
			return "", fmt.Errorf("table %s has no end: %s", name, endMarker)
		}
		text, err := table(name)
		if err != nil {
			return "", fmt.Errorf("table %s: %w", name, err)
		}
		fmt.Fprintf(&out, "%s\n%s\n%s", page[:at[1]], strings.TrimRight(text, "\n"), endMarker)
		page = rest
	}
}

var staleMark = regexp.MustCompile(` \(stale: \d{4}-\d\d-\d\d\)`)

// WithoutAge removes the marks of stale cells from a page. A change of the sources makes cells
// stale, but the figures of a page are as true as before: only the ledger changes those.
func WithoutAge(page string) string { return staleMark.ReplaceAllString(page, "") }

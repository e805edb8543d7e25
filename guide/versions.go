package guide

import (
	"fmt"
	"strings"
	"time"

	"locktorture/ledger"
)

// versions is the table of findings: since and until which release of its library each shows.
func (d *Data) versions() (string, error) {
	var b strings.Builder
	b.WriteString("| finding | library | shows | releases tried |\n|---|---|---|---|\n")
	for _, h := range d.histories {
		fmt.Fprintf(&b, "| [%s](../findings/%s/REPORT.md) | %s | %s | %s |\n", h.Finding, h.Finding, h.Library, h, h.Count())
	}
	return b.String(), nil
}

// releases is the table of all releases that were tried.
func (d *Data) releases() (string, error) {
	var b strings.Builder
	for _, h := range d.histories {
		fmt.Fprintf(&b, "## %s\n\n`%s`\n\n| %s | released | outcome | rounds | tried on |\n|---|---|---|---|---|\n", h.Finding, Versions(h.Finding), h.Library)
		for _, r := range h.Tried {
			day, _, _ := strings.Cut(r.Date, "T")
			outcome := r.Outcome
			if r.Reason != "" {
				outcome += ": `" + inCell.Replace(r.Reason) + "`"
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %d | %s |\n", r.Release, r.Day, outcome, r.Rounds, day)
		}
		b.WriteString("\n")
	}
	return b.String(), nil
}

// inCell replaces what would end a cell of a table, or the code in it.
var inCell = strings.NewReplacer("|", "¦", "`", "'")

// Versions is the command that tries the releases of a finding's library.
func Versions(finding string) string { return "torture versions " + finding }

// histories reads what the ledger in a directory knows of releases.
func histories(dir string, tree *ledger.Sources) ([]ledger.History, error) {
	lines, err := ledger.ReadReleases(dir, time.Now())
	if err != nil {
		return nil, err
	}
	return ledger.Histories(lines, tree.Program)
}

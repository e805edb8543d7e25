package record

import (
	"errors"
	"fmt"
	"strings"

	"locktorture/scenarios"
)

// The markers of the track record in a Markdown file.
const (
	trackBegin = "<!-- track record: written by make track-record -->\n"
	trackEnd   = "<!-- end of the track record -->\n"
	trackHead  = "| hazard | lock | must be seen | rate | commit that last reproduced it | command |\n|---|---|---|---|---|---|\n"
)

// errNoTrack is returned for a page without the markers of the record.
var errNoTrack = errors.New("the file has no track record between its two markers")

// A Row is the record of one case: its scenario, lock and variant, the expectation, its rate ("5 of
// 5"), the commit that last reproduced it, and the command that plays it.
type Row struct {
	Scenario, Lock, Expected, Rate, Commit, Command string
}

// Command returns the command line that plays one case.
func Command(name, backend, variant string) string {
	command := "torture scenario run " + name + " --backend " + backend
	if variant != "" {
		command += fmt.Sprintf(" --variant %q", variant)
	}
	return command
}

// Update adds plays to a page: to its track record and, if the page has a place for it, to the
// table of findings about libraries. commit identifies this build.
func Update(page string, table []Tally, commit string) (string, error) {
	text, err := Track(page, table, commit)
	if err != nil || !strings.Contains(text, librariesBegin) {
		return text, err
	}
	return updateLibraries(text)
}

// Track writes the rates of a table into the track record of a page. A case that was not played
// keeps its row. A played case without any expected result keeps the commit that last reproduced
// it. The row of a removed case is dropped.
func Track(page string, table []Tally, commit string) (string, error) {
	before, rest, ok := strings.Cut(page, trackBegin)
	old, after, closed := strings.Cut(rest, trackEnd)
	if !ok || !closed {
		return "", fmt.Errorf("%w: %s … %s", errNoTrack, strings.TrimSpace(trackBegin), strings.TrimSpace(trackEnd))
	}
	rows := parseTrack(old)
	for _, t := range table {
		if t.Of == 0 {
			continue
		}
		r := Row{
			Scenario: t.Scenario, Lock: lockName(t), Expected: t.Expected, Rate: t.Rate(),
			Commit: commit, Command: Command(t.Scenario, t.Backend, t.Variant),
		}
		if t.AsExpect == t.Missed {
			r.Commit = "none yet"
			if was, ok := rows[r.Command]; ok {
				r.Commit = was.Commit
			}
		}
		rows[r.Command] = r
	}
	text := trackHead
	for _, n := range scenarios.All() {
		for _, c := range n.Cases {
			if r, ok := rows[Command(n.Name, c.Backend, c.Variant)]; ok {
				text += r.line()
			}
		}
	}
	return before + trackBegin + text + trackEnd + after, nil
}

func lockName(t Tally) string {
	if t.Variant == "" {
		return t.Backend
	}
	return t.Backend + " (" + t.Variant + ")"
}

func (r Row) line() string {
	return fmt.Sprintf("| [`%s`](../docs/scenarios/%s.md) | %s | %s | %s | %s | `%s` |\n", r.Scenario, r.Scenario, r.Lock, r.Expected, r.Rate, r.Commit, r.Command)
}

// parseTrack parses the rows of a record by their commands. It ignores other lines.
func parseTrack(text string) map[string]Row {
	rows := map[string]Row{}
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		if len(cells) != 6 {
			continue
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		name, _, ok := strings.Cut(strings.TrimPrefix(cells[0], "[`"), "`]")
		if !ok {
			continue
		}
		command := strings.Trim(cells[5], "`")
		rows[command] = Row{name, cells[1], cells[2], cells[3], cells[4], command}
	}
	return rows
}

package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"locktorture/internal/atomicfile"
)

// The track record stands between these lines of a Markdown file.
const (
	trackBegin = "<!-- track record: written by make track-record -->\n"
	trackEnd   = "<!-- end of the track record -->\n"
	trackHead  = "| hazard | lock | must be seen | rate | commit that last reproduced it | command |\n|---|---|---|---|---|---|\n"
)

var errNoTrack = errors.New("the file has no track record between its two markers")

// A trackRow is what the record says of one case.
type trackRow struct {
	Scenario, Lock, Expected, Rate, Commit, Command string
}

// scenarioCommand plays one case.
func scenarioCommand(name, backend, variant string) string {
	command := "torture scenario run " + name + " --backend " + backend
	if variant != "" {
		command += fmt.Sprintf(" --variant %q", variant)
	}
	return command
}

// recordable tells before anything is played that the record cannot be written.
func (s scenarioSpec) recordable() error {
	if s.Record == "" {
		return nil
	}
	page, err := os.ReadFile(s.Record)
	if err != nil {
		return usage("--record: %v", err)
	}
	if _, err := updateTrack(string(page), nil, commit); err != nil {
		return usage("--record %s: %v: %s … %s", s.Record, err, strings.TrimSpace(trackBegin), strings.TrimSpace(trackEnd))
	}
	return nil
}

// record writes what was played into the track record, if there is to be one.
func (s scenarioSpec) record(table []tally) error {
	if s.Record == "" {
		return nil
	}
	page, err := os.ReadFile(s.Record)
	if err != nil {
		return broken(err)
	}
	text, err := updateTrack(string(page), table, commit)
	if err != nil {
		return broken(err)
	}
	if strings.Contains(text, librariesBegin) {
		if text, err = updateLibraries(text); err != nil {
			return broken(err)
		}
	}
	if err := atomicfile.WriteText(s.Record, text); err != nil {
		return broken(err)
	}
	return nil
}

// updateTrack puts the rates of a table into the track record of a page. A case that was not
// played keeps its row; one that was played and never came out as expected keeps the commit
// that last reproduced it. A row of a case that there is no more goes.
func updateTrack(page string, table []tally, commit string) (string, error) {
	before, rest, ok := strings.Cut(page, trackBegin)
	old, after, closed := strings.Cut(rest, trackEnd)
	if !ok || !closed {
		return "", errNoTrack
	}
	rows := parseTrack(old)
	for _, t := range table {
		if t.Of == 0 {
			continue
		}
		r := trackRow{
			Scenario: t.Scenario, Lock: lockName(t), Expected: t.Expected, Rate: t.rate(),
			Commit: commit, Command: scenarioCommand(t.Scenario, t.Backend, t.Variant),
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
	for _, n := range scenarioList() {
		for _, c := range n.Cases {
			if r, ok := rows[scenarioCommand(n.Name, c.Backend, c.Variant)]; ok {
				text += r.line()
			}
		}
	}
	return before + trackBegin + text + trackEnd + after, nil
}

func lockName(t tally) string {
	if t.Variant == "" {
		return t.Backend
	}
	return t.Backend + " (" + t.Variant + ")"
}

func (r trackRow) line() string {
	return fmt.Sprintf("| [`%s`](../docs/scenarios/%s.md) | %s | %s | %s | %s | `%s` |\n", r.Scenario, r.Scenario, r.Lock, r.Expected, r.Rate, r.Commit, r.Command)
}

// parseTrack reads the rows of a record by their commands. What is no row is dropped.
func parseTrack(text string) map[string]trackRow {
	rows := map[string]trackRow{}
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
		rows[command] = trackRow{name, cells[1], cells[2], cells[3], cells[4], command}
	}
	return rows
}

// Package record keeps what plays of scenarios came to: how often each case was
// as expected, the track record of a page, and the pages about scenarios.
package record

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"locktorture/internal/exit"
	"locktorture/scenarios"
)

// A Tally is what all plays of one case came to.
type Tally struct {
	Scenario string              `json:"scenario"`
	Backend  string              `json:"backend"`
	Variant  string              `json:"variant,omitempty"`
	Expected string              `json:"expected"`
	Seen     string              `json:"seen"` // in the last play
	Of       int                 `json:"of"`
	AsExpect int                 `json:"as_expected"`
	Missed   int                 `json:"missed,omitempty"`  // of those, plays in which a race inside a library did not show the hazard
	Differs  string              `json:"differs,omitempty"` // the last difference
	Skipped  string              `json:"skipped,omitempty"` // why it could not be played
	Failed   string              `json:"failed,omitempty"`  // why the harness itself, or a driver, failed in a play, the last time
	Code     int                 `json:"-"`                 // exit code of such a failure
	Seconds  float64             `json:"seconds"`           // of a play, on average
	Measures []scenarios.Measure `json:"measures,omitempty"`
	Runs     []string            `json:"runs,omitempty"`
}

// A Play is one play of a case that was played to its end.
type Play struct {
	Took     time.Duration
	Seen     string // in a few words
	Measures []scenarios.Measure
	Dir      string
	Missed   bool   // a race inside a library did not show the hazard
	Differs  string // from what was expected; "" if it does not
}

// Add counts a play.
func (t *Tally) Add(p Play) {
	t.Of++
	t.Seconds += (p.Took.Seconds() - t.Seconds) / float64(t.Of)
	t.Seen, t.Measures, t.Runs = p.Seen, p.Measures, append(t.Runs, p.Dir)
	if p.Missed {
		t.Missed++
	}
	if p.Differs == "" {
		t.AsExpect++
	} else {
		t.Differs = p.Differs
	}
}

// Rate is how often a case came out as expected and, where a race decides, how often that was the hazard.
func (t Tally) Rate() string {
	text := fmt.Sprintf("%d of %d", t.AsExpect, t.Of)
	if t.Missed > 0 {
		text += fmt.Sprintf(", shown in %d", t.AsExpect-t.Missed)
	}
	return text
}

// neverShown is how many plays without the hazard are a difference, where a race decides.
const neverShown = 20

// Exit is the exit code of what all plays of a case came to.
func (t Tally) Exit() int {
	switch {
	case t.Failed != "":
		return cmp.Or(t.Code, exit.Harness)
	case t.Skipped != "":
		return exit.Unknown
	case t.AsExpect < t.Of, t.Missed == t.Of && t.Of >= neverShown:
		return exit.Violated
	}
	return exit.OK
}

// Text prints what was played as a table; took is how long all of it took.
func Text(w io.Writer, table []Tally, took time.Duration) error {
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tab, "scenario\tlock\tmust be seen\tseen\tas expected\ts")
	good, all, skipped := 0, 0, 0
	for _, t := range table {
		lock := t.Backend
		if t.Variant != "" {
			lock += " (" + t.Variant + ")"
		}
		if t.Skipped != "" {
			skipped++
			fmt.Fprintf(tab, "%s\t%s\t%s\t%s\t-\t\n", t.Scenario, lock, t.Expected, t.Skipped)
			continue
		}
		seen := t.Seen
		for _, m := range t.Measures {
			seen += "; " + m.Name + " " + m.Value
		}
		fmt.Fprintf(tab, "%s\t%s\t%s\t%s\t%s\t%.1f\n", t.Scenario, lock, t.Expected, seen, t.Rate(), t.Seconds)
		good, all = good+t.AsExpect, all+t.Of
	}
	if err := tab.Flush(); err != nil {
		return err
	}
	line := fmt.Sprintf("%d of %d as expected in %.0f s", good, all, took.Seconds())
	if skipped > 0 {
		line += fmt.Sprintf(", %d cases not played", skipped)
	}
	_, err := fmt.Fprintln(w, strings.TrimSpace(line))
	return err
}

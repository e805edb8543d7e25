// Package record keeps the results of plays: the rate of expected results of each case, and
// the pages about scenarios.
package record

import (
	"cmp"
	"fmt"
	"time"

	"locktorture/internal/exit"
	"locktorture/report"
)

// A Tally is the result of all plays of one case.
type Tally struct {
	Scenario string           `json:"scenario"`
	Backend  string           `json:"backend"`
	Variant  string           `json:"variant,omitempty"`
	Expected string           `json:"expected"`
	Seen     string           `json:"seen"` // result of the last play
	Of       int              `json:"of"`
	AsExpect int              `json:"as_expected"`
	Missed   int              `json:"missed,omitempty"`  // plays of AsExpect without the hazard, because of a race in a library
	Differs  string           `json:"differs,omitempty"` // last difference from the expectation
	Skipped  string           `json:"skipped,omitempty"` // reason why it could not be played
	Failed   string           `json:"failed,omitempty"`  // the latest failure of the harness, or of a driver, in a play
	Code     int              `json:"-"`                 // exit code of such a failure
	Seconds  float64          `json:"seconds"`           // average duration of a play
	Measures []report.Measure `json:"measures,omitempty"`
	Runs     []string         `json:"runs,omitempty"`
}

// A Play is one completed play of a case.
type Play struct {
	Took     time.Duration
	Seen     string // in a few words
	Measures []report.Measure
	Dir      string
	Missed   bool   // a race inside a library did not show the hazard
	Differs  string // difference from the expectation, or ""
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

// Rate returns the number of plays with the expected result and, for a case with a race, the number
// with the hazard.
func (t Tally) Rate() string {
	text := fmt.Sprintf("%d of %d", t.AsExpect, t.Of)
	if t.Missed > 0 {
		text += fmt.Sprintf(", shown in %d", t.AsExpect-t.Missed)
	}
	return text
}

// neverShown is the number of plays without the hazard that counts as a difference, for a case with
// a race.
const neverShown = 20

// Exit returns the exit code for the result of all plays of a case.
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

// Command returns the command line that plays one case.
func Command(name, backend, variant string) string {
	command := "torture scenario run " + name + " --backend " + backend
	if variant != "" {
		command += fmt.Sprintf(" --variant %q", variant)
	}
	return command
}

// Package record keeps what plays of scenarios came to: how often each case was
// as expected, the track record of a page, and the pages about scenarios.
package record

import (
	"cmp"
	"fmt"
	"time"

	"locktorture/internal/exit"
	"locktorture/report"
)

// A Tally is what all plays of one case came to.
type Tally struct {
	Scenario string           `json:"scenario"`
	Backend  string           `json:"backend"`
	Variant  string           `json:"variant,omitempty"`
	Expected string           `json:"expected"`
	Seen     string           `json:"seen"` // in the last play
	Of       int              `json:"of"`
	AsExpect int              `json:"as_expected"`
	Missed   int              `json:"missed,omitempty"`  // of those, plays in which a race inside a library did not show the hazard
	Differs  string           `json:"differs,omitempty"` // the last difference
	Skipped  string           `json:"skipped,omitempty"` // why it could not be played
	Failed   string           `json:"failed,omitempty"`  // why the harness itself, or a driver, failed in a play, the last time
	Code     int              `json:"-"`                 // exit code of such a failure
	Seconds  float64          `json:"seconds"`           // of a play, on average
	Measures []report.Measure `json:"measures,omitempty"`
	Runs     []string         `json:"runs,omitempty"`
}

// A Play is one play of a case that was played to its end.
type Play struct {
	Took     time.Duration
	Seen     string // in a few words
	Measures []report.Measure
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

// Rate returns how often a case came out as expected and, where a race decides, how often that
// was the hazard.
func (t Tally) Rate() string {
	text := fmt.Sprintf("%d of %d", t.AsExpect, t.Of)
	if t.Missed > 0 {
		text += fmt.Sprintf(", shown in %d", t.AsExpect-t.Missed)
	}
	return text
}

// neverShown is how many plays without the hazard are a difference, where a race decides.
const neverShown = 20

// Exit returns the exit code of what all plays of a case came to.
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

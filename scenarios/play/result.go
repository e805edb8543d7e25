package play

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"time"

	"locktorture/checker"
	"locktorture/internal/exit"
	"locktorture/report"
	"locktorture/scenarios"
	"locktorture/trial"
)

// A Result is what one play came to.
type Result struct {
	Play    Play
	Dir     *trial.Dir // where its reports go; nil: nothing was recorded
	Run     report.Run
	Result  checker.Result
	Played  scenarios.Played
	Differs string // from what was expected; "" if it does not
	Took    time.Duration
}

// Write writes the reports of a play, if it left anything to report.
func (r Result) Write() error {
	if r.Dir == nil {
		return nil
	}
	if err := trial.Write(r.Run, r.Result, r.Dir); err != nil {
		return exit.Coded(r.Dir.Kept(fmt.Errorf("the verdict stands, its reports are not complete: %w", err)))
	}
	return nil
}

// Seen says in a few words what a play came to.
func (r Result) Seen() string {
	if r.Played.Stuck != "" {
		return "stuck: " + r.Played.Stuck
	}
	parts := []string{string(r.Result.Grade)}
	for _, kind := range checker.Kinds() {
		if r.Result.Counts.Anomalies[kind] > 0 {
			parts = append(parts, kind)
		}
	}
	return strings.Join(parts, " + ")
}

// Text writes what a reader of one play wants to know.
func (r Result) Text(out io.Writer) error {
	w := &bytes.Buffer{}
	fmt.Fprintf(w, "%s with %s: %s\n", r.Play.Name, r.Play.Case.Name(), r.Seen())
	for _, prop := range r.Result.Properties {
		kinds := map[string]bool{}
		for _, a := range prop.Anomalies {
			if !kinds[a.Kind] {
				kinds[a.Kind] = true
				fmt.Fprintf(w, "  %s: %s\n", a.Kind, a.Sentence)
			}
		}
	}
	for _, f := range r.Played.Facts {
		fmt.Fprintf(w, "  seen: %s\n", f)
	}
	for _, m := range r.Played.Measures {
		fmt.Fprintf(w, "  %s: %s\n", m.Name, m.Value)
	}
	if r.Differs != "" {
		fmt.Fprintf(w, "  not as expected (%s): %s\n", r.Play.Case.Outcome(), r.Differs)
	} else {
		fmt.Fprintf(w, "  as expected: %s\n", r.Play.Case.Outcome())
	}
	fmt.Fprintf(w, "  report: %s/report.html\n", r.Dir.Path)
	_, err := w.WriteTo(out)
	return err
}

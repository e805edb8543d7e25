package play

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"locktorture/checker"
	"locktorture/internal/exit"
	"locktorture/report"
	"locktorture/report/verdict"
	"locktorture/report/words"
	"locktorture/scenarios"
	"locktorture/trial"
)

// A Result is the result of one play.
type Result struct {
	Play    Play
	Dir     *trial.Dir // directory of its reports; nil: nothing was recorded
	Run     report.Run
	Result  checker.Result
	Played  scenarios.Played
	Differs string // difference from the expectation, or ""
	Took    time.Duration
}

// Write writes the reports of a play, if there is anything to report, and writes run.json again
// with the facts of the script.
func (r Result) Write() error {
	if r.Dir == nil {
		return nil
	}
	if err := errors.Join(r.Dir.WriteJSON("run.json", r.Run), trial.Write(r.Run, r.Result, r.Dir)); err != nil {
		return exit.Coded(r.Dir.Kept(fmt.Errorf("the verdict stands, its reports are not complete: %w", err)))
	}
	return nil
}

// Seen describes the result of a play in a few words.
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

// labels have the width of the longest one.
const labels = 15

// Text describes a play for its reader, on lines of at most width characters if the words permit:
// its story, its result, and its lesson.
func (r Result) Text(out io.Writer, width int) error {
	w := &bytes.Buffer{}
	fact := func(label, text string) {
		for _, line := range words.Wrap(fmt.Sprintf("%-*s", labels, label), words.Clients(words.Sentence(text)), min(max(width, 40), 120)) {
			fmt.Fprintln(w, line)
		}
	}
	expected := "as expected"
	if r.Differs != "" {
		expected = words.Clients("NOT as expected (" + r.Play.Case.Outcome() + "): " + r.Differs)
	}
	for _, line := range words.Hang(fmt.Sprintf("%s with %s: %s; %s", r.Play.Name, r.Play.Case.Name(), r.Seen(), expected), width) {
		fmt.Fprintln(w, line)
	}
	fact("What happens", r.Play.Story)
	label := "What was seen"
	for _, seen := range r.seen() {
		fact(label, seen)
		label = ""
	}
	fact("Lesson", r.Play.Lesson)
	fact("Source", r.Play.Source)
	fmt.Fprintf(w, "%-*s%s/report.html\n", labels, "Report", r.Dir.Path)
	_, err := w.WriteTo(out)
	return err
}

// seen returns the findings of the play: the first anomaly of each kind, and the facts that the
// script looked for.
func (r Result) seen() []string {
	var list []string
	for _, prop := range r.Result.Properties {
		for _, k := range verdict.Kinds(r.Result, prop) {
			list = append(list, k.Kind+": "+k.First.Sentence)
		}
	}
	list = append(list, r.Run.Noticed()...)
	if len(list) == 0 {
		list = []string{"nothing was violated"}
	}
	return list
}

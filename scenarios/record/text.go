package record

import (
	"fmt"
	"io"
	"time"

	"locktorture/internal/terminal"
	"locktorture/report/words"
)

// Text returns a summary for a terminal of this width: the rate of expected results of each case,
// the duration of a play, and the results. took is the total duration.
func Text(w io.Writer, width int, table []Tally, took time.Duration) error {
	rows := terminal.Table{{"expected", "time", "seen"}}
	good, all, skipped := 0, 0, 0
	for _, t := range table {
		rate, seconds := t.Rate(), fmt.Sprintf("%.1f s", t.Seconds)
		if t.Skipped != "" {
			skipped++
			rate, seconds = "–", "–"
		}
		rows = append(rows, []string{rate, seconds, words.Clients(words.Sentence(t.line()))})
		good, all = good+t.AsExpect, all+t.Of
	}
	for _, line := range rows.Lines(2, width) {
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	line := fmt.Sprintf("%d of %d as expected in %.0f s", good, all, took.Seconds())
	if skipped > 0 {
		line += fmt.Sprintf("; not played: %d", skipped)
	}
	_, err := fmt.Fprintln(w, line)
	return err
}

// line describes the result of a case and, if it differs, the expectation.
func (t Tally) line() string {
	text := t.Scenario + " with " + t.Backend
	if t.Variant != "" {
		text += " (" + t.Variant + ")"
	}
	if t.Skipped != "" {
		return text + ": not played: " + t.Skipped
	}
	text += ": " + t.Seen
	for _, m := range t.Measures {
		text += "; " + m.Name + " " + m.Value
	}
	if t.AsExpect < t.Of {
		text += "; must be " + t.Expected
	}
	return text
}

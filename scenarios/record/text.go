package record

import (
	"fmt"
	"io"
	"time"

	"locktorture/internal/terminal"
	"locktorture/report/words"
)

// Text prints what was played, for a terminal of so many columns: how often each case was as
// expected, how long a play took, and what was seen; took is how long all of it took.
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

// line says what was seen of a case and, where that is something else, what must be.
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

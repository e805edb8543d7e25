package sweep

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"locktorture/report/words"
)

// Text writes the table, what its columns mean, and the advice.
func (r Report) Text(w io.Writer) error {
	if r.Interrupted {
		if _, err := fmt.Fprintln(w, "interrupted: the other TTLs were not measured"); err != nil {
			return err
		}
	}
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tab, "TTL\toverruns\ta million sections\tafter a death\tunavailable\trenewals")
	for _, t := range r.TTLs {
		fmt.Fprintf(tab, "%s\t%d of %d stops\t%s\t%s\t%s\t%s\n", t.TTL, t.Overruns, t.Stops, t.perMillion(), t.after(), t.share(), words.Figures(t.Renewals))
	}
	if err := tab.Flush(); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n"+r.legend()+"\n"+wrap(r.Advice)+"\n")
	return err
}

// perMillion is the rate of overruns, or its bound where none was seen.
func (t TTL) perMillion() string {
	switch {
	case t.Stops == 0:
		return "–"
	case t.Overruns == 0:
		return "< " + words.Figures(t.AtMost)
	}
	return words.Figures(t.OverrunsPerMillion)
}

// after is how long a dead holder keeps the lock.
func (t TTL) after() string {
	if t.Deaths == 0 {
		return "–"
	}
	return words.Span(int64(t.Out))
}

// share is the share of the time for which nobody gets the lock.
func (t TTL) share() string {
	if t.Deaths == 0 {
		return "–"
	}
	return words.Percent(t.Share)
}

// columns is how wide a line of text is.
const columns = 80

// wrap breaks a text between words.
func wrap(text string) string {
	var b strings.Builder
	width := 0
	for _, word := range strings.Split(text, " ") {
		n := utf8.RuneCountInString(word)
		switch {
		case width > 0 && width+1+n > columns:
			b.WriteByte('\n')
			width = 0
		case width > 0:
			b.WriteByte(' ')
			width++
		}
		b.WriteString(word)
		width += n
	}
	return b.String()
}

// legend says what the columns mean, in lines of at most 80 columns.
func (r Report) legend() string {
	who := "what a watchdog would send; this lock has none"
	if r.Renews {
		who = "what the lock's watchdog sends"
	}
	lines := []string{
		fmt.Sprintf("%d clients, sections of %s, long ones %s, stops of %s", r.Clients, r.Hold, r.LongHold, r.Stops),
		fmt.Sprintf("a million sections  overruns, if one section in %s is stopped", words.Count(r.Rates.StopEvery)),
		"after a death       until the next grant, median",
		fmt.Sprintf("unavailable         share of the time, with one such death every %s", Short(r.Rates.DeathEvery)),
		"renewals            for 1,000 sections, one every third of the TTL:",
		"                    " + who,
	}
	return strings.Join(lines, "\n") + "\n"
}

// Package meter shows the progress of a trial.
package meter

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"locktorture/checker"
	"locktorture/harness"
	"locktorture/internal/terminal"
	"locktorture/report/words"
)

// plainEvery is the time between two progress lines without a terminal.
const plainEvery = 5 * time.Second

// A Meter shows the progress of a run: one live line on a terminal, a plain line every few seconds
// elsewhere.
type Meter struct {
	out      io.Writer
	duration time.Duration
	live     bool
	quiet    bool

	mu      sync.Mutex
	shown   int // width of the live line
	printed time.Duration
	last    harness.Progress

	new   sync.Mutex // guards only found, so that Found never waits for the terminal
	found []string   // lines that are not shown yet
}

// New returns a Meter that writes to out, for a run whose faults last for duration. With quiet it
// prints only the lines given to Say.
func New(out io.Writer, duration time.Duration, quiet bool) *Meter {
	return &Meter{out: out, duration: duration, quiet: quiet, live: terminal.Is(out)}
}

// Update shows the present state of the run.
func (m *Meter) Update(p harness.Progress) {
	m.mu.Lock()
	defer m.mu.Unlock()
	rate := float64(p.Ops-m.last.Ops) / max(p.Elapsed-m.last.Elapsed, time.Millisecond).Seconds()
	m.last = p
	if m.quiet {
		return
	}
	m.tell()
	line := m.line(p, rate)
	if m.live {
		width, _ := terminal.Size(m.out)
		line = words.Cut(line, width-1)
		fmt.Fprintf(m.out, "\r%-*s", m.shown, line)
		m.shown = utf8.RuneCountInString(line)
		return
	}
	if p.Elapsed-m.printed >= plainEvery {
		m.printed = p.Elapsed
		fmt.Fprintln(m.out, line)
	}
}

// Found queues the first violation of a kind, which the next Update shows.
func (m *Meter) Found(a checker.Anomaly) {
	width, _ := terminal.Size(m.out)
	first := "first " + strings.TrimPrefix(checker.CountOf(a.Kind, 1), "1 ") + ": "
	m.new.Lock()
	defer m.new.Unlock()
	m.found = append(m.found, words.Hang(first+words.Sentence(a.Sentence), width)...)
}

// tell prints the queued violations.
func (m *Meter) tell() {
	m.new.Lock()
	lines := m.found
	m.found = nil
	m.new.Unlock()
	for _, line := range lines {
		m.print(line)
	}
}

// Say prints a line above the live line.
func (m *Meter) Say(line string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.print(line)
}

// clear removes the live line.
func (m *Meter) clear() {
	if m.live && m.shown > 0 {
		fmt.Fprintf(m.out, "\r%-*s\r", m.shown, "")
	}
}

func (m *Meter) print(line string) {
	m.clear()
	fmt.Fprintln(m.out, line)
}

func (m *Meter) line(p harness.Progress, rate float64) string {
	phase := fmt.Sprintf("%4.1f of %s s", p.Elapsed.Seconds(), words.Figures(m.duration.Seconds()))
	switch {
	case p.Tail:
		phase = fmt.Sprintf("%4.1f s: healed, waiting for each lock", p.Elapsed.Seconds())
	case p.Elapsed > m.duration: // the last faults are being taken back
		phase = fmt.Sprintf("%4.1f s: healing", p.Elapsed.Seconds())
	}
	line := fmt.Sprintf("%s  %s operations (%s/s)  %s  %s", phase, words.Count(int(p.Ops)), words.Count(int(rate)),
		words.Plural(int(p.Grants), "grant", "grants"), words.Plural(int(p.Struck), "fault", "faults"))
	if p.Refused > 0 {
		line += fmt.Sprintf("  %s rejected", words.Count(int(p.Refused)))
	}
	if len(p.InPlace) > 0 {
		line += "  [" + strings.Join(p.InPlace, " ") + "]"
	}
	return line
}

// Done prints the queued violations and ends the live line.
func (m *Meter) Done() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.quiet {
		m.tell()
	}
	m.clear()
}

// Package meter shows how far a trial is.
package meter

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"locktorture/harness"
	"locktorture/internal/terminal"
)

// plainEvery is the time between two progress lines where there is no terminal.
const plainEvery = 5 * time.Second

// A Meter shows the progress of a run: one live line on a terminal, a plain
// line now and then elsewhere.
type Meter struct {
	out      io.Writer
	duration time.Duration
	live     bool
	quiet    bool

	mu      sync.Mutex
	found   string // what the monitor has found so far
	shown   int    // width of the live line
	printed time.Duration
	last    harness.Progress
	told    bool // the first violation was shown
}

// New shows a run on out whose faults last for duration; quiet: only what Say is given.
func New(out io.Writer, duration time.Duration, quiet bool) *Meter {
	return &Meter{out: out, duration: duration, quiet: quiet, live: terminal.Is(out)}
}

// Update shows where the run is, and what the monitor has found so far, or "".
func (m *Meter) Update(p harness.Progress, violation string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.found = violation
	rate := float64(p.Ops-m.last.Ops) / max(p.Elapsed-m.last.Elapsed, time.Millisecond).Seconds()
	m.last = p
	if m.quiet {
		return
	}
	line := m.line(p, rate)
	m.tell()
	if m.live {
		fmt.Fprintf(m.out, "\r%-*s", m.shown, line)
		m.shown = len(line)
		return
	}
	if p.Elapsed-m.printed >= plainEvery {
		m.printed = p.Elapsed
		fmt.Fprintln(m.out, line)
	}
}

// tell says once what the monitor has found.
func (m *Meter) tell() {
	if m.found == "" || m.told || m.quiet {
		return
	}
	m.told = true
	m.print("first violation: " + m.found)
}

// Say prints a line of its own.
func (m *Meter) Say(line string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.print(line)
}

func (m *Meter) print(line string) {
	if m.live {
		fmt.Fprintf(m.out, "\r%-*s\r", m.shown, "")
	}
	fmt.Fprintln(m.out, line)
}

func (m *Meter) line(p harness.Progress, rate float64) string {
	phase := fmt.Sprintf("%4.1f/%.0fs", min(p.Elapsed, m.duration).Seconds(), m.duration.Seconds())
	if p.Tail {
		phase = "healed, waiting for every lock to be granted once more"
	}
	line := fmt.Sprintf("%s  %d ops (%.0f/s)  %d grants  %d faults", phase, p.Ops, rate, p.Grants, p.Struck)
	if p.Refused > 0 {
		line += fmt.Sprintf("  %d stale refused", p.Refused)
	}
	if len(p.InPlace) > 0 {
		line += "  [" + strings.Join(p.InPlace, " ") + "]"
	}
	return line
}

// Done ends the live line.
func (m *Meter) Done(violation string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.found = violation
	m.tell()
	if m.live && m.shown > 0 {
		fmt.Fprintf(m.out, "\r%-*s\r", m.shown, "")
	}
}

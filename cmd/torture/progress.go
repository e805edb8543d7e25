package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"locktorture/harness"
	"locktorture/report"
	"locktorture/trial"
)

// plainEvery is the time between two progress lines where there is no terminal.
const plainEvery = 5 * time.Second

// A meter shows the progress of a run: one live line on a terminal, a plain
// line now and then elsewhere.
type meter struct {
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

func newMeter(out io.Writer, s runSpec) *meter {
	f, ok := out.(*os.File)
	return &meter{out: out, duration: s.Duration, quiet: s.Quiet, live: ok && term.IsTerminal(int(f.Fd()))}
}

// watch shows on out how a run goes.
func (s *runSpec) watch(out io.Writer, w *trial.Work) trial.Watch {
	m := newMeter(out, *s)
	return trial.Watch{
		Ready: func(r report.Run, d *trial.Dir) {
			if !s.Quiet {
				fmt.Fprintf(out, "%s\n", startLine(s, r, d))
			}
		},
		Progress: m.update,
		Full: func(limit int64) {
			m.say(fmt.Sprintf("the history has reached its limit of %.1f MB (--history-limit): the run ends here", float64(limit)/(1<<20)))
		},
		Over: func(violation string) {
			m.done(violation)
			if line := backlogLine(w.Backlog()); line != "" && !s.Quiet {
				fmt.Fprintln(out, line)
			}
		},
	}
}

// update shows where the run is.
func (m *meter) update(p harness.Progress, violation string) {
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
func (m *meter) tell() {
	if m.found == "" || m.told || m.quiet {
		return
	}
	m.told = true
	m.print("first violation: " + m.found)
}

// say prints a line of its own.
func (m *meter) say(line string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.print(line)
}

func (m *meter) print(line string) {
	if m.live {
		fmt.Fprintf(m.out, "\r%-*s\r", m.shown, "")
	}
	fmt.Fprintln(m.out, line)
}

func (m *meter) line(p harness.Progress, rate float64) string {
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

// done ends the live line.
func (m *meter) done(violation string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.found = violation
	m.tell()
	if m.live && m.shown > 0 {
		fmt.Fprintf(m.out, "\r%-*s\r", m.shown, "")
	}
}

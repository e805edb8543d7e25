package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"locktorture/report/scorecard"
)

// A matrixMeter shows how far a matrix is: a line for each try that has ended,
// and on a terminal, below these lines, a live table of the locks that ran last.
type matrixMeter struct {
	out   io.Writer
	live  bool
	quiet bool
	start time.Time
	total int

	mu      sync.Mutex
	table   *matrixTable
	drawn   int // lines of the table that stand on the terminal
	ended   int
	running map[tryKey]time.Time
	stop    chan struct{}
	ticking sync.WaitGroup
}

// newMatrixMeter shows a plan of total tries, some of which are done.
func newMatrixMeter(out io.Writer, s matrixSpec, total int, done []scorecard.Try) *matrixMeter {
	f, ok := out.(*os.File)
	m := &matrixMeter{out: out, quiet: s.Quiet, total: total, ended: len(done), start: time.Now(),
		running: map[tryKey]time.Time{}, stop: make(chan struct{})}
	m.live = !s.Quiet && ok && term.IsTerminal(int(f.Fd()))
	m.table = newMatrixTable(s.Nemeses, colored(out))
	for _, t := range done {
		m.table.note(t)
	}
	if !s.Quiet {
		fmt.Fprintf(out, "torture matrix: %d runs, %d of them done, %d at a time, in %s\n", total, len(done), s.Jobs, s.Out)
	}
	if m.live {
		m.ticking.Go(m.tick)
	}
	return m
}

// tick redraws the table every second.
func (m *matrixMeter) tick() {
	t := time.NewTicker(time.Second)
	defer t.Stop()
	for {
		select {
		case <-m.stop:
			return
		case <-t.C:
			m.mu.Lock()
			m.draw()
			m.mu.Unlock()
		}
	}
}

// draw puts the table anew where it stands. The caller holds the lock.
func (m *matrixMeter) draw() {
	if !m.live {
		return
	}
	width, height := 80, 24
	if w, h, err := term.GetSize(int(m.out.(*os.File).Fd())); err == nil && w > 0 && h > 0 {
		width, height = w, h
	}
	m.clear()
	var running []string
	for _, k := range slices.SortedFunc(maps.Keys(m.running), func(a, b tryKey) int { return m.running[a].Compare(m.running[b]) }) {
		running = append(running, fmt.Sprintf("%s %s %s %.0fs", k.backend, k.nemesis, k.workload, time.Since(m.running[k]).Seconds()))
	}
	status := fmt.Sprintf("%d/%d  %s  %s", m.ended, m.total, time.Since(m.start).Round(time.Second), strings.Join(running, " · "))
	// A third of the screen at most, so that the lines above stay readable.
	lines := append(m.table.lines(width, max(1, height/3)), cut(status, width-1))
	for _, l := range lines {
		fmt.Fprintln(m.out, l)
	}
	m.drawn = len(lines)
}

// clear takes the table off the terminal. The caller holds the lock.
func (m *matrixMeter) clear() {
	if m.drawn > 0 {
		fmt.Fprintf(m.out, "\x1b[%dA\r\x1b[J", m.drawn)
	}
	m.drawn = 0
}

// begin shows that a try runs.
func (m *matrixMeter) begin(t scorecard.Try) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.running[keyOf(t)] = time.Now()
	m.table.begin(t)
	m.draw()
}

// finish shows what a try came to.
func (m *matrixMeter) finish(t scorecard.Try) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.running, keyOf(t))
	if t.State == scorecard.NotRun {
		return
	}
	m.ended++
	m.table.note(t)
	if m.quiet {
		return
	}
	m.clear()
	fmt.Fprintf(m.out, "[%d/%d] %s %s %s seed %d: %s (%.1fs)\n", m.ended, m.total, t.Backend, t.Nemesis, t.Workload, t.Seed, scorecard.TryLine(t), t.Took.Seconds())
	m.draw()
}

// end clears the live table.
func (m *matrixMeter) end() {
	close(m.stop)
	m.ticking.Wait()
	m.clear()
}

// more says that tries were added to the plan.
func (m *matrixMeter) more(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.total += n
}

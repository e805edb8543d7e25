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

	"locktorture/report"
)

// A matrixMeter shows how far a matrix is: a line for each try that has ended,
// and on a terminal a live one for those that are running.
type matrixMeter struct {
	out   io.Writer
	live  bool
	quiet bool
	start time.Time
	total int

	mu      sync.Mutex
	ended   int
	running map[tryKey]time.Time
	stop    chan struct{}
	ticking sync.WaitGroup
}

func newMatrixMeter(out io.Writer, s matrixSpec, total, ended int) *matrixMeter {
	f, ok := out.(*os.File)
	m := &matrixMeter{out: out, quiet: s.Quiet, total: total, ended: ended, start: time.Now(),
		running: map[tryKey]time.Time{}, stop: make(chan struct{})}
	m.live = !s.Quiet && ok && term.IsTerminal(int(f.Fd()))
	if !s.Quiet {
		fmt.Fprintf(out, "torture matrix: %d runs, %d of them done, %d at a time, in %s\n", total, ended, s.Jobs, s.Out)
	}
	if m.live {
		m.ticking.Go(m.tick)
	}
	return m
}

// tick redraws the live line every second.
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

func (m *matrixMeter) draw() {
	if !m.live {
		return
	}
	var names []string
	for _, k := range slices.SortedFunc(maps.Keys(m.running), func(a, b tryKey) int { return m.running[a].Compare(m.running[b]) }) {
		names = append(names, fmt.Sprintf("%s %s %s %.0fs", k.backend, k.nemesis, k.workload, time.Since(m.running[k]).Seconds()))
	}
	line := fmt.Sprintf("%d/%d  %s  %s", m.ended, m.total, time.Since(m.start).Round(time.Second), strings.Join(names, " · "))
	fmt.Fprintf(m.out, "\r\x1b[K%.150s", line)
}

// begin shows that a try runs.
func (m *matrixMeter) begin(t report.Try) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.running[keyOf(t)] = time.Now()
	m.draw()
}

// finish shows what a try came to.
func (m *matrixMeter) finish(t report.Try) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.running, keyOf(t))
	if t.State == report.NotRun {
		return
	}
	m.ended++
	if m.quiet {
		return
	}
	if m.live {
		fmt.Fprint(m.out, "\r\x1b[K")
	}
	fmt.Fprintf(m.out, "[%d/%d] %s %s %s seed %d: %s (%.1fs)\n", m.ended, m.total, t.Backend, t.Nemesis, t.Workload, t.Seed, report.TryLine(t), t.Took.Seconds())
	m.draw()
}

// end clears the live line.
func (m *matrixMeter) end() {
	close(m.stop)
	m.ticking.Wait()
	if m.live {
		fmt.Fprint(m.out, "\r\x1b[K")
	}
}

// more says that tries were added to the plan.
func (m *matrixMeter) more(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.total += n
}

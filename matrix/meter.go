package matrix

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"locktorture/internal/terminal"
	"locktorture/report/scorecard"
)

// A meter shows how far a matrix is: a line for each try that has ended,
// and on a terminal, below these lines, a live table of the locks that ran last.
type meter struct {
	out   io.Writer
	live  bool
	quiet bool
	start time.Time
	total int

	mu      sync.Mutex
	table   *liveTable
	drawn   int // lines of the table that stand on the terminal
	ended   int
	running map[tryKey]time.Time
	stop    chan struct{}
	ticking sync.WaitGroup
}

// newMeter shows a plan of total tries, some of which are done.
func newMeter(out io.Writer, c Config, total int, done []scorecard.Try) *meter {
	m := &meter{out: out, quiet: c.Quiet, total: total, ended: len(done), start: time.Now(),
		running: map[tryKey]time.Time{}, stop: make(chan struct{})}
	m.live = !c.Quiet && terminal.Is(out)
	m.table = newLiveTable(c.Nemeses, terminal.Colored(out))
	for _, t := range done {
		m.table.note(t)
	}
	if !c.Quiet {
		fmt.Fprintf(out, "torture matrix: %d runs, %d of them done, %d at a time, in %s\n", total, len(done), c.Jobs, c.Out)
	}
	if m.live {
		m.ticking.Go(m.tick)
	}
	return m
}

// tick redraws the table every second.
func (m *meter) tick() {
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
func (m *meter) draw() {
	if !m.live {
		return
	}
	width, height := terminal.Size(m.out)
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
func (m *meter) clear() {
	if m.drawn > 0 {
		fmt.Fprintf(m.out, "\x1b[%dA\r\x1b[J", m.drawn)
	}
	m.drawn = 0
}

// begin shows that a try runs.
func (m *meter) begin(t scorecard.Try) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.running[keyOf(t)] = time.Now()
	m.table.begin(t)
	m.draw()
}

// finish shows what a try came to.
func (m *meter) finish(t scorecard.Try) {
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
func (m *meter) end() {
	close(m.stop)
	m.ticking.Wait()
	m.clear()
}

// more says that tries were added to the plan.
func (m *meter) more(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.total += n
}

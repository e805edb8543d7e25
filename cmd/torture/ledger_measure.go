package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/kballard/go-shellquote"
	"github.com/spf13/cobra"

	"locktorture/guide"
	"locktorture/internal/cgroup"
	"locktorture/internal/cli"
	"locktorture/internal/exit"
	"locktorture/internal/self"
	"locktorture/ledger"
	"locktorture/runs"
)

// A measureSpec is what the flags of torture ledger measure say.
type measureSpec struct {
	least, most int
	jobs        int
	budget      time.Duration
	busy        float64
}

func newLedgerMeasure(env environment, dir *string) *cobra.Command {
	var s measureSpec
	cmd := &cobra.Command{
		Use:   "measure",
		Short: "make the runs that the pages lack, in the order in which ledger stale lists them",
		Long: `measure begins with the cells of locks. All other cells of the pages (schedulers,
scripts and apps) come later. In both groups, cells without a run come first, then stale cells,
then the cells with the fewest runs.

measure writes each run into the ledger as soon as the run is over. So an interruption
loses only unfinished runs, and the next call continues. With --jobs above 1, another
run begins only while the processors have time left. At the end, measure writes the tables
of the pages. A run is deleted, unless it is the first of its cell with some grade or anomaly.

exit codes: 0 no runs are missing or the time is over, 2 wrong usage, 4 a run wrote no
line into the ledger, 130 interrupted`,
		Example: "  torture ledger measure --budget 50m --jobs 2",
		Args:    cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := (stalest{s.least, s.most}).check(); err != nil {
				return err
			}
			if s.jobs < 1 || s.busy <= 0 {
				return exit.Usage("--jobs %d --most-busy %g: both must be positive", s.jobs, s.busy)
			}
			return s.measure(cmd, env, *dir)
		},
	}
	f := cmd.Flags()
	f.IntVar(&s.least, "runs", ledger.Enough, "number of runs that each cell needs")
	f.IntVar(&s.most, "differing", 20, "number of runs that a cell needs if its runs have different grades")
	f.IntVar(&s.jobs, "jobs", 1, "maximum number of simultaneous runs")
	f.DurationVar(&s.budget, "budget", 0, "time limit of the command; 0: end when no runs are missing")
	f.Float64Var(&s.busy, "most-busy", 0.4, "begin a run beside another only while the processors are busy for less than this share of their time")
	return cmd
}

// A series is a measure under way.
type series struct {
	measureSpec
	env   environment
	dir   string // of the ledger
	runs  string // where the runs are made
	until time.Time
	out   io.Writer

	mu     sync.Mutex
	flying map[ledger.Subject]bool
	failed map[ledger.Subject]int
	made   int
	began  time.Time
}

// tries is how often a run may leave no line before its cell is left alone.
const tries = 2

func (s measureSpec) measure(cmd *cobra.Command, env environment, dir string) error {
	if _, err := (runs.LedgerSpec{Ledger: dir}).Bookkeeper(commit); err != nil {
		return err // else every run would fail for this reason
	}
	made, err := os.MkdirTemp("", "torture-ledger-")
	if err != nil {
		return exit.Broken(err)
	}
	defer os.Remove(made) // it is empty, unless runs are kept
	m := &series{
		measureSpec: s, env: env, dir: dir, runs: made, out: cmd.ErrOrStderr(), began: time.Now(),
		flying: map[ledger.Subject]bool{}, failed: map[ledger.Subject]int{},
	}
	if m.until = m.began.Add(s.budget); s.budget == 0 {
		m.until = m.began.Add(1000 * time.Hour)
	}
	var workers sync.WaitGroup
	errs := make([]error, s.jobs)
	for i := range s.jobs {
		workers.Go(func() { errs[i] = m.work(cmd.Context(), i) })
	}
	workers.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	d, root, err := pagesData(env, dir)
	if err != nil {
		return err
	}
	pages, err := guide.Pages(root)
	if err == nil {
		err = renderPages(cmd, d, pages, false)
	}
	switch {
	case err != nil:
		return err
	case cmd.Context().Err() != nil:
		return exit.Silent(exit.Interrupted)
	case len(m.failed) > 0:
		return exit.Silent(exit.Harness)
	}
	return nil
}

// work makes runs until none is left or the time is over. Beside other runs, a worker waits while the
// machine is busy, and then starts none in the same moment as another. The first worker stays while
// a run is under way after which its cell may need another.
func (m *series) work(ctx context.Context, number int) error {
	for before := cgroup.Worked(); ctx.Err() == nil && time.Now().Before(m.until); before = cgroup.Worked() {
		if m.jobs > 1 {
			rest(ctx, time.Duration(2+number)*time.Second)
			if share, ok := cgroup.Worked().Busy(before); ok && share > m.busy && m.underWay() {
				continue
			}
		}
		next, left, flying, err := m.next()
		switch {
		case err != nil:
			return err
		case next == nil && number == 0 && flying > 0: // others may rest by the time when more is to be run
			rest(ctx, time.Second)
			continue
		case next == nil:
			return nil
		}
		m.one(ctx, *next, left)
	}
	return nil
}

func (m *series) underWay() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.flying) > 0
}

// rest waits for d or until ctx is done.
func rest(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// next returns the next run, or nil if no run fits into the time that is left. It also counts the
// runs that the pages lack, and the runs under way.
func (m *series) next() (next *guide.Next, left, flying int, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	flying = len(m.flying)
	d, _, err := pagesData(m.env, m.dir)
	if err != nil {
		return nil, 0, flying, err
	}
	plan, err := d.Plan(m.least, m.most)
	if err != nil {
		return nil, 0, flying, exit.Broken(err)
	}
	for i, n := range plan {
		left += n.Runs
		fits := time.Now().Add(n.Takes).Before(m.until)
		if next == nil && fits && !m.flying[n.Subject] && m.failed[n.Subject] < tries {
			next = &plan[i]
			m.flying[n.Subject] = true
		}
	}
	return next, left, flying, nil
}

// one makes a run, and says what it came to.
func (m *series) one(ctx context.Context, n guide.Next, left int) {
	dir := filepath.Join(m.runs, fmt.Sprintf("%d", time.Now().UnixNano()))
	before, _ := m.latest(n.Subject)
	args := append(n.Command[1:len(n.Command):len(n.Command)], "--ledger", m.dir, "--dir", dir, "--wire", "off", "--quiet")
	_, stderr, code, _, err := self.Timed(ctx, os.Environ(), args)
	now, failed := m.latest(n.Subject)
	said := now.String()
	if news := now.News(before); news != "" && failed == nil {
		said += fmt.Sprintf("; the first of its runs with %s is kept in %s", news, dir)
	} else {
		os.RemoveAll(dir)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.flying, n.Subject)
	m.made++
	switch {
	case ctx.Err() != nil:
		return
	case failed != nil:
		said = failed.Error()
	case err != nil || now.Last == n.Last: // of what counts, and no run of a subject begins in the same second as another
		m.failed[n.Subject]++
		said = fmt.Sprintf("no line, exit code %d: %s", code, self.LastLine(stderr))
	}
	each := time.Since(m.began) / time.Duration(m.made)
	fmt.Fprintf(m.out, "%s %d left, %s each: %s: %s\n", time.Now().UTC().Format("15:04:05"), left-1, each.Round(100*time.Millisecond), shellquote.Join(n.Command[1:]...), said)
}

// latest is the cell of a subject as it is now.
func (m *series) latest(s ledger.Subject) (ledger.Cell, error) {
	d, _, err := pagesData(m.env, m.dir)
	if err != nil {
		return ledger.Cell{}, err
	}
	return d.Cell(s)
}

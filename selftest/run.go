package selftest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"locktorture/checker"
	"locktorture/internal/exit"
	"locktorture/internal/self"
	"locktorture/matrix"
	"locktorture/report"
	"locktorture/simulate/search"
)

// A trial is one run of a selftest.
type trial struct {
	Row  string   `json:"row"`            // it belongs to
	Args []string `json:"args"`           // of torture, but for seed and directory
	Seed uint64   `json:"seed"`           // of the run
	Busy bool     `json:"busy,omitempty"` // beside as many busy loops as there are cores
}

// command are the arguments of torture.
func (t trial) command() []string {
	return append(slices.Clone(t.Args), "--seed", strconv.FormatUint(t.Seed, 10))
}

// key tells trials apart.
func (t trial) key() string { return t.Row + "\n" + strings.Join(t.command(), " ") }

// A cell is a trial and what it came to: a line of cells.jsonl.
type cell struct {
	trial
	Result checker.Result `json:"result,omitzero"`  // of torture run, with the first anomaly of each kind
	Search search.Report  `json:"search,omitzero"`  // of torture explore
	Fired  int            `json:"fired,omitempty"`  // how often a mutant said that its switch mattered, at least
	Failed string         `json:"failed,omitempty"` // why there is no verdict; "": there is one
	Dir    string         `json:"dir,omitempty"`
	Took   time.Duration  `json:"took"`
	CPU    time.Duration  `json:"cpu"` // of all its processes
	Commit string         `json:"commit"`
}

// A runner makes the runs of a table.
type runner struct {
	Options
	table    Table
	cells    *matrix.Cells[cell]
	progress io.Writer
	failure  error // to keep a cell
}

// adopt counts what an earlier selftest in the same directory has come to. It returns what is left to
// run, and the rows that neither it nor the directory has. The rows of Only are run anew.
func (r *runner) adopt(earlier []cell) (left []trial, missing []string) {
	done := map[string]cell{}
	for _, c := range earlier {
		done[c.key()] = c
	}
	commits := map[string]bool{r.Commit: true}
	for _, t := range r.table.runs(r.Options) {
		c, ok := done[t.key()]
		switch named := slices.Contains(r.Only, t.Row); {
		case ok && c.Failed == "" && !named:
			r.table.row(t).add(c)
			if !commits[c.Commit] {
				r.Commit += " (rows taken over: " + c.Commit + ")"
			}
			commits[c.Commit] = true
		case named || len(r.Only) == 0:
			left = append(left, t)
		case !slices.Contains(missing, t.Row):
			missing = append(missing, t.Row)
		}
	}
	return left, missing
}

// play makes runs, the busy ones after the others.
func (r *runner) play(ctx context.Context, all []trial) error {
	busy := func(t trial) bool { return t.Busy }
	r.some(ctx, slices.DeleteFunc(slices.Clone(all), busy))
	if all = slices.DeleteFunc(all, func(t trial) bool { return !t.Busy }); len(all) > 0 {
		stop := busyLoops()
		defer stop()
		r.some(ctx, all)
	}
	return r.failure
}

// some makes runs, as many at a time as there are jobs, and says of each what it came to. What ctx
// ends comes to nothing.
func (r *runner) some(ctx context.Context, all []trial) {
	queue := make(chan trial, len(all))
	for _, t := range all {
		queue <- t
	}
	close(queue)
	jobs, done := r.Jobs, 0
	if r.table.alone {
		jobs = 1
	}
	var mu sync.Mutex
	var workers sync.WaitGroup
	for range jobs {
		workers.Go(func() {
			for t := range queue {
				if ctx.Err() != nil {
					return
				}
				c := r.try(ctx, t)
				if ctx.Err() != nil {
					return
				}
				mu.Lock()
				done++
				r.end(c, done, len(all))
				mu.Unlock()
			}
		})
	}
	workers.Wait()
}

// end counts and keeps a cell.
func (r *runner) end(c cell, done, of int) {
	keep, line := r.table.row(c.trial).add(c)
	if !keep && !r.Keep && c.Dir != "" {
		_ = os.RemoveAll(c.Dir)
		c.Dir = ""
	}
	r.failure = errors.Join(r.failure, r.cells.Add(c))
	if !r.Quiet {
		fmt.Fprintf(r.progress, "%d/%d %s, seed %d: %s (%s)\n", done, of, c.Row, c.Seed, line, c.Took.Round(100*time.Millisecond))
	}
}

// try carries out one trial as a process of its own.
func (r *runner) try(ctx context.Context, t trial) cell {
	searches := t.Args[0] == "explore"
	limited, cancel := ctx, context.CancelFunc(func() {})
	if !searches { // which have bounds of their own
		limited, cancel = context.WithTimeout(ctx, trialLimit)
	}
	defer cancel()
	start := time.Now()
	stdout, stderr, code, cpu, err := self.Timed(limited, os.Environ(), append(t.command(), "--json", "--quiet", "--dir", filepath.Join(r.Out, "runs")))
	c := cell{trial: t, Took: time.Since(start), CPU: cpu, Commit: r.Commit}
	var said report.Object
	switch {
	case limited.Err() != nil:
		c.Failed = fmt.Sprintf("it had not ended after %s: %s", trialLimit, self.LastLine(stderr))
	case err != nil:
		c.Failed = err.Error()
	case searches:
		if json.Unmarshal(stdout, &c.Search) != nil {
			c.Failed = fmt.Sprintf("exit code %d: %s", code, self.LastLine(stderr))
		} else if c.Search.Found != nil {
			c.Dir = c.Search.Found.Dir
		}
	case json.Unmarshal(stdout, &said) != nil:
		c.Failed = fmt.Sprintf("no verdict, exit code %d: %s", code, self.LastLine(stderr))
	case code == exit.Harness:
		c.Failed, c.Dir = self.LastLine(stderr), said.Dir
	default:
		c.Result, c.Dir = brief(said.Result), said.Dir
	}
	c.Fired = fired(stderr)
	for _, log := range clientLogs(c.Dir) {
		c.Fired += fired(log)
	}
	return c
}

// trialLimit is the time after which a run hangs.
const trialLimit = 10 * time.Minute

// busyLoops keeps all cores busy until stop is called.
func busyLoops() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var loops sync.WaitGroup
	for range runtime.NumCPU() {
		loops.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				_ = n // work
			}
		})
	}
	return func() { cancel(); loops.Wait() }
}

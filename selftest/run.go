package selftest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"locktorture/internal/exit"
	"locktorture/internal/self"
	"locktorture/report"
)

// A trial is one run of a selftest.
type trial struct {
	Name string   // of its row
	Args []string // of torture run, beyond seed and directories
	Seed uint64
}

// A runner makes the runs of a table.
type runner struct {
	Options
	progress io.Writer
}

// trials runs trials, some at a time, and says of each what it came to. told is
// called for each result, one at a time; it says whether the directory of the
// run is to be kept, and what to show of it. What ctx ends has no result.
func (o runner) trials(ctx context.Context, all []trial, told func(trialResult) (keep bool, line string)) {
	var mu sync.Mutex
	var workers sync.WaitGroup
	next, done := 0, 0
	take := func() (trial, bool) {
		mu.Lock()
		defer mu.Unlock()
		if next == len(all) || ctx.Err() != nil {
			return trial{}, false
		}
		next++
		return all[next-1], true
	}
	for range o.Jobs {
		workers.Go(func() {
			for t, ok := take(); ok; t, ok = take() {
				r := o.try(ctx, t)
				if ctx.Err() != nil {
					return
				}
				mu.Lock()
				done++
				keep, line := told(r)
				if !keep && !o.Keep && r.Dir != "" {
					_ = os.RemoveAll(r.Dir)
				}
				if !o.Quiet {
					fmt.Fprintf(o.progress, "%d/%d %s, seed %d: %s (%s)\n", done, len(all), t.Name, t.Seed, line, r.Took.Round(100*time.Millisecond))
				}
				mu.Unlock()
			}
		})
	}
	workers.Wait()
}

// command are the arguments of torture for a trial.
func (o Options) command(t trial) []string {
	args := []string{"run", "--json", "--quiet", "--dir", filepath.Join(o.Out, "runs"), "--wire", "off", "--seed", strconv.FormatUint(t.Seed, 10)}
	args = append(args, o.Args...)
	if o.Duration > 0 {
		args = append(args, "--duration", o.Duration.String())
	}
	return append(args, t.Args...)
}

// try carries out one trial as a process of its own.
func (o Options) try(ctx context.Context, t trial) trialResult {
	start := time.Now()
	limited, cancel := context.WithTimeout(ctx, trialLimit)
	defer cancel()
	stdout, stderr, code, err := self.Run(limited, os.Environ(), o.command(t))
	r := trialResult{trial: t, Exit: code, Took: time.Since(start)}
	var said report.Object
	switch {
	case limited.Err() != nil:
		r.Failed = fmt.Sprintf("it had not ended after %s: %s", trialLimit, self.LastLine(stderr))
	case err != nil:
		r.Failed = err.Error()
	case json.Unmarshal(stdout, &said) != nil:
		r.Failed = fmt.Sprintf("no verdict, exit code %d: %s", code, self.LastLine(stderr))
	case code == exit.Harness:
		r.Failed, r.Dir = self.LastLine(stderr), said.Dir
	default:
		r.Result, r.Dir = said.Result, said.Dir
	}
	r.Fired = fired(stderr)
	for _, log := range clientLogs(r.Dir) {
		r.Fired += fired(log)
	}
	return r
}

// trialLimit is the time after which a run hangs.
const trialLimit = 10 * time.Minute

package matrix

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"locktorture/internal/cgroup"
	"locktorture/internal/exit"
	"locktorture/internal/self"
	"locktorture/report"
	"locktorture/report/scorecard"
)

// tryLimit returns the time after which a run hangs: a matrix must not wait for it until its
// budget is spent.
func tryLimit(t scorecard.Try) time.Duration {
	const forServers = 2 * time.Minute // to start, heal, judge and report
	if i := slices.Index(t.Args, "--duration"); i >= 0 {
		if d, err := time.ParseDuration(t.Args[i+1]); err == nil {
			return forServers + 4*d
		}
	}
	return forServers
}

// Processes carry tries out on this machine, each as a process of its own.
type Processes struct {
	Out    string   // the directory of the matrix, in whose runs the run directories are made
	Wire   string   // --wire of every run; "": off
	Ledger string   // --ledger of every run; "": none
	Env    []string // of every run
	Jobs   int      // runs at the same time
}

// processes returns the executor of a matrix that names none.
func (c Config) processes() *Processes {
	return &Processes{Out: c.Out, Wire: c.Wire, Ledger: c.Ledger, Env: c.Env, Jobs: c.Jobs}
}

// Execute carries the tries of a queue out.
func (p *Processes) Execute(ctx context.Context, q Queue) error {
	var workers sync.WaitGroup
	for range p.Jobs {
		workers.Go(func() {
			for {
				t, ok := q.Next(ctx)
				if !ok {
					return
				}
				q.Begin(t)
				q.End(p.Try(ctx, t))
			}
		})
	}
	workers.Wait()
	return nil
}

// Try carries one try out and says what it came to. One that ctx cut off stays as it is.
func (p *Processes) Try(ctx context.Context, t scorecard.Try) scorecard.Try {
	out := p.Out
	t.Start = time.Now()
	limit := tryLimit(t)
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	stdout, stderr, code, err := self.Run(limited, p.Env, p.words(t))
	t.Took = time.Since(t.Start).Round(time.Millisecond)
	t.Exit, t.Cores = code, runtime.NumCPU()
	t.Load, _ = cgroup.Load()
	var o report.Object
	switch {
	case ctx.Err() != nil:
		return t
	case limited.Err() != nil:
		t.State, t.Reason, t.Exit = scorecard.HarnessFailed, fmt.Sprintf("it had not ended after %s: %s", limit, self.LastLine(stderr)), exit.Harness
	case err != nil:
		t.State, t.Reason, t.Exit = scorecard.HarnessFailed, err.Error(), exit.Harness
	case code == exit.BadUsage:
		t.State, t.Reason = refused(stderr)
	case code == exit.Driver:
		t.State, t.Reason = scorecard.DriverFailed, self.LastLine(stderr)
	case json.Unmarshal(stdout, &o) != nil:
		t.State, t.Reason = scorecard.HarnessFailed, fmt.Sprintf("no verdict, exit code %d: %s", code, self.LastLine(stderr))
	default:
		t = scorecard.NewTry(t, o)
		t.Dir = relative(out, o.Dir)
		if t.Exit = code; code == exit.Harness { // the servers or the faults failed: the verdict is of no worth
			t.State, t.Reason = scorecard.HarnessFailed, self.LastLine(stderr)
		} else {
			t.Reason = ""
		}
	}
	return t
}

// words is the command line of a try.
func (p *Processes) words(t scorecard.Try) []string {
	verb := "run"
	if t.Workload == AppWorkload {
		verb = "app"
	}
	words := []string{verb, "--json", "--quiet", "--dir", filepath.Join(p.Out, "runs"), "--wire", cmp.Or(p.Wire, "off")}
	if p.Ledger != "" {
		words = append(words, "--ledger", p.Ledger)
	}
	return append(words, t.Args...)
}

// refused reads why a run was refused. It recognizes the messages of torture run.
func refused(stderr string) (state, reason string) {
	line := self.LastLine(stderr)
	if _, why, ok := strings.Cut(line, "is not possible here: "); ok {
		return scorecard.NotPossible, why
	}
	if strings.HasPrefix(line, "--cluster ") {
		return scorecard.NotServed, line
	}
	return scorecard.Refused, line
}

// relative returns a path seen from a directory.
func relative(from, path string) string {
	if r, err := filepath.Rel(from, path); err == nil {
		return filepath.ToSlash(r)
	}
	return path
}

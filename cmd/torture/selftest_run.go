package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"locktorture/checker"
	"locktorture/internal/self"
	"locktorture/report"
)

// A trial is one run of a selftest.
type trial struct {
	Name string   // of its row
	Args []string // of torture run, beyond seed and directories
	Seed uint64
}

// A trialResult is what one came to.
type trialResult struct {
	trial
	Result checker.Result
	Exit   int
	Fired  int    // how often a mutant said that its switch mattered, at least
	Failed string // why there is no verdict; "": there is one
	Dir    string
	Took   time.Duration
}

// trials runs trials, some at a time, and says of each what it came to. told is
// called for each result, one at a time; it says whether the directory of the
// run is to be kept, and what to show of it. What ctx ends has no result.
func (s *selftestSpec) trials(ctx context.Context, progress io.Writer, all []trial, told func(trialResult) (keep bool, line string)) {
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
	for range s.Jobs {
		workers.Go(func() {
			for t, ok := take(); ok; t, ok = take() {
				r := s.try(ctx, t)
				if ctx.Err() != nil {
					return
				}
				mu.Lock()
				done++
				keep, line := told(r)
				if !keep && !s.Keep && r.Dir != "" {
					_ = os.RemoveAll(r.Dir)
				}
				if !s.Quiet {
					fmt.Fprintf(progress, "%d/%d %s, seed %d: %s (%s)\n", done, len(all), t.Name, t.Seed, line, r.Took.Round(100*time.Millisecond))
				}
				mu.Unlock()
			}
		})
	}
	workers.Wait()
}

// try carries out one trial as a process of its own.
func (s *selftestSpec) try(ctx context.Context, t trial) trialResult {
	args := []string{"run", "--json", "--quiet", "--" + noConfig, "--dir", filepath.Join(s.Out, "runs"),
		"--seed", strconv.FormatUint(t.Seed, 10), "--cluster", s.Cluster}
	args = append(args, s.imageWords()...)
	if s.Duration > 0 {
		args = append(args, "--duration", s.Duration.String())
	}
	start := time.Now()
	limited, cancel := context.WithTimeout(ctx, trialLimit)
	defer cancel()
	stdout, stderr, code, err := self.Run(limited, os.Environ(), append(args, t.Args...))
	r := trialResult{trial: t, Exit: code, Took: time.Since(start)}
	var o report.Object
	switch {
	case limited.Err() != nil:
		r.Failed = fmt.Sprintf("it had not ended after %s: %s", trialLimit, self.LastLine(stderr))
	case err != nil:
		r.Failed = err.Error()
	case json.Unmarshal(stdout, &o) != nil:
		r.Failed = fmt.Sprintf("no verdict, exit code %d: %s", code, self.LastLine(stderr))
	case code == exitHarness:
		r.Failed, r.Dir = self.LastLine(stderr), o.Dir
	default:
		r.Result, r.Dir = o.Result, o.Dir
	}
	r.Fired = fired(stderr)
	for _, log := range clientLogs(r.Dir) {
		r.Fired += fired(log)
	}
	return r
}

// trialLimit is the time after which a run hangs.
const trialLimit = 10 * time.Minute

// fired reads how often a mutant said that its switch mattered: its last word, of each process.
func fired(log string) (n int) {
	last := 0
	for line := range strings.Lines(log) {
		count, ok := strings.CutPrefix(strings.TrimSpace(line), firedLine)
		if !ok {
			continue
		}
		c, _ := strconv.Atoi(count)
		if c == 1 { // a new process
			n += last
		}
		last = c
	}
	return n + last
}

// clientLogs are what the processes of clients had to say.
func clientLogs(dir string) (logs []string) {
	if dir == "" {
		return nil
	}
	files, _ := filepath.Glob(filepath.Join(dir, "client-*.log"))
	for _, f := range files {
		if b, err := os.ReadFile(f); err == nil {
			logs = append(logs, string(b))
		}
	}
	return logs
}

// first is when the first anomaly of some kinds was complete; false if there is none.
func (r trialResult) first(kinds ...string) (at time.Duration, kind string, ok bool) {
	for _, p := range r.Result.Properties {
		for _, a := range p.Anomalies {
			for _, k := range kinds {
				if a.Kind == k && (!ok || time.Duration(a.Time) < at) {
					at, kind, ok = time.Duration(a.Time), k, true
				}
			}
		}
	}
	return at, kind, ok
}

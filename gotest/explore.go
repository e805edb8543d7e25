//go:build !wasip1 && !simulated

package gotest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Explore searches as Search does, and fails the test if it finds an anomaly that is the
// lock's fault. An overrun is not the lock's fault, because no lock can prevent one; it fails
// the test only if Find names it. The failure has the verdict, the faults that lead to it, and
// the command that plays them again. If the time of the test runs out, Explore ends early and
// fails the test.
//
// Without a Config.Dir, the run directory is in the directory of the test's artifacts, which `go
// test -artifacts` keeps.
func Explore(t *testing.T, cfg Config) Exploration {
	t.Helper()
	if cfg.Dir == "" {
		cfg.Dir = t.ArtifactDir()
	}
	cfg.test = t.Name()
	if text := os.Getenv(replayed); text != "" {
		r, err := parseReplay(text)
		if err != nil {
			t.Fatalf("%s: %v", replayed, err)
		}
		cfg = r.On(cfg)
	}
	ctx, stop := bounded(t)
	finding := ""
	defer func() { stop(finding) }()
	e, err := Search(ctx, cfg)
	if e.Found != nil { // even if it could not be kept
		finding = e.Found.text(e, t.Name())
		t.Error(finding)
	}
	if err != nil {
		t.Fatal(err)
	}
	if e.Found != nil {
		return e
	}
	t.Logf("no anomaly that is the lock's fault in %d trials, %.1f s of virtual time; faults: %s; servers: %s%s",
		e.Trials, e.Virtual.Seconds(), strings.Join(e.Kinds, ", "), e.Servers, line(e.Unseen))
	return e
}

// line returns a text on a line of its own, and "" for "".
func line(text string) string {
	if text == "" {
		return ""
	}
	return "\n" + text
}

// A search ends a reserve before its test runs out of time, so that a finding can be reduced
// and written.
const (
	reserve = 10 * time.Second
	atLeast = 4 // the reserve is at most this fraction of the remaining time: one fourth
)

// errTime is the cause of a search's end when the time is over.
var errTime = errors.New("the test ran out of time: give it more (go test -timeout), or give Explore fewer Trials or a Budget")

// bounded returns the context of a search, and what is called with its finding, if any, after it. The
// signals that end the test end the search first, in order. Without -v, package testing would print
// the finding only after the end of the test, so it is printed before the signal ends the test.
func bounded(t *testing.T) (context.Context, func(finding string)) {
	ctx, cancel := context.WithCancelCause(t.Context())
	stopTimer := func() bool { return true }
	if deadline, ok := t.Deadline(); ok {
		left := time.Until(deadline)
		stopTimer = time.AfterFunc(left-min(reserve, left/atLeast), func() { cancel(errTime) }).Stop
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	came := make(chan os.Signal, 1)
	go func() {
		s, ok := <-signals
		if ok {
			cancel(fmt.Errorf("%v", s))
			came <- s
		}
		close(came)
	}()
	return ctx, func(finding string) {
		stopTimer()
		signal.Stop(signals)
		close(signals)
		cancel(nil)
		if s, ok := <-came; ok {
			if finding != "" && !testing.Verbose() {
				fmt.Fprintln(os.Stderr, finding)
			}
			_ = syscall.Kill(os.Getpid(), s.(syscall.Signal)) // it ends the test now
		}
	}
}

// text returns the text of the failure.
func (f *Found) text(e Exploration, test string) string {
	var b strings.Builder
	b.WriteString(verdict(f.Result))
	for _, line := range f.Votes {
		b.WriteString("\n  " + line)
	}
	fmt.Fprintf(&b, "\nschedule (%d clients, %v, seed %d):", f.Replay.Clients, f.Replay.Duration, f.Replay.Seed)
	for line := range strings.Lines(f.Replay.Schedule) {
		fmt.Fprintf(&b, "\n  %s", strings.TrimSpace(line))
	}
	if f.Replay.Schedule == "" {
		b.WriteString("\n  no fault is needed")
	}
	b.WriteString("\nseen only in virtual time, not on real servers")
	if f.Trial > 0 {
		fmt.Fprintf(&b, "; found in trial %d, reduced in %d runs, and seen in %d of %d other worlds", f.Trial, f.Runs, f.Seen, f.Others)
	}
	fmt.Fprintf(&b, "\nservers: %s%s", e.Servers, line(e.Unseen))
	fmt.Fprintf(&b, "\nreplay: %s", f.Replay.command(test))
	if f.Report == "" {
		return b.String()
	}
	fmt.Fprintf(&b, "\nreport: %s (go test -artifacts keeps it)", filepath.Clean(f.Report))
	fmt.Fprintf(&b, "\non real servers: torture confirm %s", filepath.Dir(filepath.Clean(f.Report)))
	return b.String()
}

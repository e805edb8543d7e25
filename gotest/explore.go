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

// Explore searches as Search does, and fails the test if it finds something of which the lock
// can be accused: an overrun is not, unless Find has it, since no lock can prevent one. The
// failure has the verdict, the faults by which it comes about, and the command that plays them
// again. It ends early, and fails the test, before the test's time is over.
//
// Without a Config.Dir the run directory lies in that of the test's artifacts, which `go test -artifacts` keeps.
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
	defer stop()
	e, err := Search(ctx, cfg)
	if err != nil {
		t.Fatal(err)
	}
	if e.Found != nil {
		t.Error(e.Found.text(e, t.Name()))
		return e
	}
	t.Logf("nothing of which the lock can be accused in %d trials, %.1f s of virtual time; faults: %s; servers: %s%s",
		e.Trials, e.Virtual.Seconds(), strings.Join(e.Kinds, ", "), e.Servers, line(e.Unseen))
	return e
}

// line is a text on a line of its own; "" stays so.
func line(text string) string {
	if text == "" {
		return ""
	}
	return "\n" + text
}

// A search ends so long before its test runs out of time: there is a finding to be cut down
// and to be written.
const (
	reserve = 10 * time.Second
	atLeast = 4 // a reserve is no more than one part in so many of the time
)

// errTime ends a search.
var errTime = errors.New("the test ran out of time: give it more (go test -timeout), or Explore fewer Trials or a Budget")

// bounded is the context of a search. The signals that end the test end it first, in order.
func bounded(t *testing.T) (context.Context, func()) {
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
	return ctx, func() {
		stopTimer()
		signal.Stop(signals)
		close(signals)
		cancel(nil)
		if s, ok := <-came; ok {
			_ = syscall.Kill(os.Getpid(), s.(syscall.Signal)) // it ends the test now
		}
	}
}

// text is the failure.
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
	b.WriteString("\nseen in virtual time alone, not on real servers")
	if f.Trial > 0 {
		fmt.Fprintf(&b, "; found in trial %d, cut down in %d runs, and seen in %d of %d other worlds", f.Trial, f.Runs, f.Seen, f.Others)
	}
	fmt.Fprintf(&b, "\nservers: %s%s", e.Servers, line(e.Unseen))
	fmt.Fprintf(&b, "\nreplay: %s", f.Replay.command(test))
	fmt.Fprintf(&b, "\nreport: %s (go test -artifacts keeps it)", filepath.Clean(f.Report))
	fmt.Fprintf(&b, "\non real servers: torture confirm %s", filepath.Dir(filepath.Clean(f.Report)))
	return b.String()
}

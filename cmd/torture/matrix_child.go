package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"locktorture/report"
)

// childGrace is the time that a run gets to heal its faults and to end after
// the matrix was interrupted. Then it is killed with all that it started.
const childGrace = 20 * time.Second

// tryLimit is the time after which a run hangs: a matrix must not wait for it
// until its budget is spent.
func tryLimit(t report.Try) time.Duration {
	const forServers = 2 * time.Minute // to start, heal, judge and report
	if i := slices.Index(t.Args, "--duration"); i >= 0 {
		if d, err := time.ParseDuration(t.Args[i+1]); err == nil {
			return forServers + 4*d
		}
	}
	return forServers
}

// runTry runs one try as a process of its own and says what it came to. A try
// that was cut off stays "not run".
func (s *matrixSpec) runTry(ctx context.Context, t report.Try) report.Try {
	out := s.Out
	t.Start = time.Now()
	limit := tryLimit(t)
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	stdout, stderr, code, err := runSelf(limited, s.environment(), append([]string{"run", "--json", "--quiet", "--dir", filepath.Join(out, "runs")}, t.Args...))
	t.Took = time.Since(t.Start).Round(time.Millisecond)
	t.Exit = code
	var o report.Object
	switch {
	case ctx.Err() != nil:
		return t
	case limited.Err() != nil:
		t.State, t.Reason, t.Exit = report.HarnessFailed, fmt.Sprintf("it had not ended after %s: %s", limit, lastLine(stderr)), exitHarness
	case err != nil:
		t.State, t.Reason, t.Exit = report.HarnessFailed, err.Error(), exitHarness
	case code == exitUsage:
		t.State, t.Reason = refused(stderr)
	case json.Unmarshal(stdout, &o) != nil:
		t.State, t.Reason = report.HarnessFailed, fmt.Sprintf("no verdict, exit code %d: %s", code, lastLine(stderr))
	default:
		t = report.NewTry(t, o)
		t.Dir = relative(out, o.Dir)
		if t.Exit = code; code == exitHarness { // the servers or the faults failed: the verdict is of no worth
			t.State, t.Reason = report.HarnessFailed, lastLine(stderr)
		} else {
			t.Reason = ""
		}
	}
	return t
}

// refused reads why a run was refused. The words are those of torture run.
func refused(stderr string) (state, reason string) {
	line := lastLine(stderr)
	if _, why, ok := strings.Cut(line, "is not possible here: "); ok {
		return report.NotPossible, why
	}
	if strings.HasPrefix(line, "--cluster ") {
		return report.NotServed, line
	}
	return report.Refused, line
}

// lastLine is the last thing that torture said on stderr.
func lastLine(stderr string) string {
	line := "nothing was said"
	for l := range strings.Lines(stderr) {
		l = strings.TrimSpace(strings.TrimPrefix(l, "torture: "))
		if l != "" && !strings.HasPrefix(l, "see torture --help") {
			line = l
		}
	}
	return line
}

// relative is a path seen from a directory.
func relative(from, path string) string {
	if r, err := filepath.Rel(from, path); err == nil {
		return filepath.ToSlash(r)
	}
	return path
}

// An errTail keeps the end of what is written to it.
type errTail struct{ b []byte }

func (t *errTail) Write(p []byte) (int, error) {
	const limit = 16 << 10
	t.b = append(t.b, p...)
	if len(t.b) > limit {
		t.b = append([]byte(nil), t.b[len(t.b)-limit:]...)
	}
	return len(p), nil
}

// runSelf runs this program in a process group of its own, which dies with it.
// When ctx ends the program is asked to end, then killed. A parent-death
// signal belongs to the thread that forked, so that thread is kept.
func runSelf(ctx context.Context, env, args []string) (stdout []byte, stderr string, code int, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, "", 0, fmt.Errorf("start a run: %w", err)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var out bytes.Buffer
	var errOut errTail
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.Env, cmd.Stdout, cmd.Stderr = env, &out, &errOut
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = childGrace
	if err := cmd.Start(); err != nil {
		return nil, "", 0, fmt.Errorf("start a run: %w", err)
	}
	err = cmd.Wait()
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // what it left behind, if anything
	var ended *exec.ExitError
	if errors.As(err, &ended) || errors.Is(err, exec.ErrWaitDelay) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		err = nil
	}
	return out.Bytes(), string(errOut.b), cmd.ProcessState.ExitCode(), err
}

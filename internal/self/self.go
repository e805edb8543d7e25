// Package self runs this program again, as a process of its own.
package self

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"locktorture/internal/child"
)

// Grace is the time that a run gets to heal its faults and to end after it
// was interrupted. Then it is killed with all that it started.
const Grace = 20 * time.Second

// A tail keeps the end of what is written to it.
type tail struct{ b []byte }

func (t *tail) Write(p []byte) (int, error) {
	const limit = 16 << 10
	t.b = append(t.b, p...)
	if len(t.b) > limit {
		t.b = append([]byte(nil), t.b[len(t.b)-limit:]...)
	}
	return len(p), nil
}

// Run runs this program in a process group of its own, which dies with it.
// When ctx ends the program is asked to end, and after Grace killed. It returns what
// was printed, the end of what was logged, and the exit code.
func Run(ctx context.Context, env, args []string) (stdout []byte, stderr string, code int, err error) {
	stdout, stderr, code, _, err = Timed(ctx, env, args)
	return stdout, stderr, code, err
}

// Timed is Run, which also returns the processor time of the program and of what it had
// started and waited for.
func Timed(ctx context.Context, env, args []string) (stdout []byte, stderr string, code int, took time.Duration, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, "", 0, 0, fmt.Errorf("start a run: %w", err)
	}
	var out bytes.Buffer
	var errOut tail
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.Env, cmd.Stdout, cmd.Stderr = env, &out, &errOut
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = Grace
	run, err := child.Start(cmd, child.Options{What: "a run"})
	if err != nil {
		return nil, "", 0, 0, err
	}
	<-run.Done() // what it left behind, if anything, is ended by now
	var failed *exec.ExitError
	err = run.Err()
	if errors.As(err, &failed) || errors.Is(err, child.ErrExited) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		err = nil
	}
	ended := cmd.ProcessState
	return out.Bytes(), string(errOut.b), ended.ExitCode(), ended.UserTime() + ended.SystemTime(), err
}

// LastLine is the last thing that torture said on stderr: the first line of its last message,
// or else the last line.
func LastLine(stderr string) string {
	message, line := "", "it said nothing"
	for l := range strings.Lines(stderr) {
		text, said := strings.CutPrefix(strings.TrimSpace(l), "torture: ")
		switch {
		case text == "" || strings.HasPrefix(text, "see torture "):
		case said:
			message = text
		default:
			line = text
		}
	}
	return cmp.Or(message, line)
}

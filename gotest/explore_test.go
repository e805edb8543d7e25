//go:build !wasip1 && !simulated

package gotest

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// A finding is told though a signal ends the test before package testing would print it.
func TestFindingBeforeSignal(t *testing.T) {
	const inner = "TORTURE_TEST_SIGNAL"
	if os.Getenv(inner) != "" {
		ctx, stop := bounded(t)
		if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		<-ctx.Done()
		stop("the finding")
		select {} // the signal ends the process
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestFindingBeforeSignal$", "-test.timeout=1m")
	cmd.Env = append(os.Environ(), inner+"=1")
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(err.Error(), "terminated") || !strings.Contains(string(out), "the finding\n") {
		t.Errorf("%v: %q", err, out)
	}
}

// A finding that could not be kept is told without its report.
func TestFoundText(t *testing.T) {
	for report, want := range map[string]string{"": "replay: ", "runs/a/report.html": "on real servers: torture confirm runs/a"} {
		text := (&Found{Report: report}).text(Exploration{}, "TestLock")
		if last := text[strings.LastIndexByte(text, '\n')+1:]; !strings.HasPrefix(last, want) {
			t.Errorf("report %q: the last line is %q, not %q", report, last, want)
		}
	}
}

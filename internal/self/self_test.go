package self_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"locktorture/internal/self"
	"locktorture/internal/testenv"
)

// roleEnv makes the test binary a run.
const roleEnv = "TORTURE_TEST_SELF"

func TestMain(m *testing.M) {
	switch os.Getenv(roleEnv) {
	case "":
		os.Exit(m.Run())
	case "fails":
		fmt.Println("out of", os.Args[1])
		fmt.Fprintln(os.Stderr, strings.Repeat("x", 100_000)+"\ntorture: the end")
		os.Exit(3)
	case "leaves":
		if err := exec.Command("sleep", os.Args[1]).Start(); err != nil {
			os.Exit(4)
		}
	case "heals":
		asked := make(chan os.Signal, 1)
		signal.Notify(asked, syscall.SIGTERM)
		if err := os.WriteFile(os.Args[1], nil, 0o600); err != nil {
			os.Exit(4)
		}
		<-asked
		os.Exit(130)
	}
}

func run(ctx context.Context, t *testing.T, role string, args ...string) (string, string, int) {
	t.Helper()
	out, log, code, err := self.Run(ctx, append(os.Environ(), roleEnv+"="+role), args)
	if err != nil {
		t.Fatal(err)
	}
	return string(out), log, code
}

// What a run prints, the end of what it logs, and its exit code are handed on.
func TestRun(t *testing.T) {
	out, log, code := run(t.Context(), t, "fails", "it")
	if out != "out of it\n" || code != 3 || len(log) > 20_000 || self.LastLine(log) != "the end" {
		t.Errorf("printed %q, code %d, %d bytes of log that end with %q", out, code, len(log), self.LastLine(log))
	}
	if _, _, code := run(t.Context(), t, "nothing"); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// A run that is interrupted heals its faults before it ends.
func TestRunIsAskedToEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	up := filepath.Join(t.TempDir(), "up")
	go func() { // it can be asked once it listens
		defer cancel()
		for end := time.Now().Add(testenv.Patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
			if _, err := os.Stat(up); err == nil {
				return
			}
		}
	}()
	if _, _, code := run(ctx, t, "heals", up); code != 130 {
		t.Errorf("exit code %d, want that of a run which was asked to end", code)
	}
}

// Nothing of a run stays behind.
func TestRunLeavesNothing(t *testing.T) {
	number := fmt.Sprintf("600.%d", os.Getpid())
	_, _, code := run(t.Context(), t, "leaves", number)
	if code != 0 {
		t.Fatalf("exit code %d", code)
	}
	for end := time.Now().Add(testenv.Patience); exec.Command("pgrep", "-f", "^sleep "+number+"$").Run() == nil; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("what the run had started lives on")
		}
	}
}

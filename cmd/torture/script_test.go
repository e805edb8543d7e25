package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// asTorture makes the test binary the command.
const asTorture = "TORTURE_TEST_AS_TORTURE"

// TestMain lets scripts run this binary as the command torture.
func TestMain(m *testing.M) {
	if os.Getenv(asTorture) == "true" { // for tests that start it by its path
		main()
	}
	testscript.Main(m, map[string]func(){"torture": main})
}

// TestScripts runs the command line as a user does, exit codes included.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			// What torture keeps between runs (the compiled clock object) is the machine's.
			cache, err := os.UserCacheDir()
			if err != nil {
				return err
			}
			env.Setenv("XDG_CACHE_HOME", cache)
			servers, err := filepath.Abs("../../bin/servers") // what make servers builds
			if err != nil {
				return err
			}
			env.Setenv("PATH", servers+string(filepath.ListSeparator)+env.Getenv("PATH"))
			for dir := env.WorkDir; dir != filepath.Dir(dir) && dir != filepath.Clean(os.TempDir()); dir = filepath.Dir(dir) {
				if err := os.Chmod(dir, 0o711); err != nil { // PostgreSQL runs as another user
					return err
				}
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":  exits,
			"signal": interrupt,
		},
	})
}

// exits CODE COMMAND ARGS… runs a command that must end with that exit code.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	var ended *exec.ExitError
	got := 0
	switch {
	case errors.As(err, &ended):
		got = ended.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// signal NAME WHEN CODE COMMAND ARGS… sends the command a signal, and expects that exit code. WHEN is
// a time after its start, or what it must have said on stderr.
func interrupt(ts *testscript.TestScript, _ bool, args []string) {
	signals := map[string]os.Signal{"INT": os.Interrupt, "TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP}
	path, err := exec.LookPath(args[3])
	ts.Check(err)
	cmd := exec.Command(path, args[4:]...)
	cmd.Dir = ts.Getenv("WORK")
	cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+ts.Getenv("XDG_CACHE_HOME"))
	said := &awaited{Writer: ts.Stderr(), text: args[1], seen: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = ts.Stdout(), said
	ts.Check(cmd.Start())
	send := func() {
		_ = cmd.Process.Signal(signals[args[0]])
		if args[0] == "HUP" { // a shell and the kernel both send it
			time.Sleep(10 * time.Millisecond)
			_ = cmd.Process.Signal(syscall.SIGHUP)
		}
	}
	if after, err := time.ParseDuration(args[1]); err == nil {
		defer time.AfterFunc(after, send).Stop()
	} else {
		ended, stop := context.WithCancel(context.Background())
		defer stop()
		go func() {
			select {
			case <-said.seen:
				send()
			case <-ended.Done():
			}
		}()
	}
	_ = cmd.Wait()
	if got := strconv.Itoa(cmd.ProcessState.ExitCode()); got != args[2] {
		ts.Fatalf("exit code %s after %s, want %s", got, args[0], args[2])
	}
}

// An awaited writer tells when a text was written to it.
type awaited struct {
	io.Writer
	text string
	got  string
	seen chan struct{} // closed once it was
}

func (w *awaited) Write(b []byte) (int, error) {
	before := strings.Contains(w.got, w.text)
	w.got += string(b)
	if !before && strings.Contains(w.got, w.text) {
		close(w.seen)
	}
	return w.Writer.Write(b)
}

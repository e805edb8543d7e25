package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"locktorture/internal/testenv"
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
	t.Parallel()
	if signal.Ignored(syscall.SIGHUP) { // by nohup, which what a script starts would keep
		told := make(chan os.Signal, 1)
		signal.Notify(told, syscall.SIGHUP)
		t.Cleanup(func() { signal.Stop(told) }) // scripts run on when this function has returned
	}
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
			"exits":   exits,
			"patient": patient,
			"signal":  signalWhen,
		},
	})
}

// exits CODES COMMAND ARGS… runs a command that must end with that exit code, or with one of those
// between commas.
func exits(ts *testscript.TestScript, _ bool, args []string) { ts.Check(exitsWith(ts, args)) }

// exitsWith is an error unless a command ends with an exit code that stands before it.
func exitsWith(ts *testscript.TestScript, args []string) error {
	err := ts.Exec(args[1], args[2:]...)
	var ended *exec.ExitError
	got := 0
	switch {
	case errors.As(err, &ended):
		got = ended.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if !slices.Contains(strings.Split(args[0], ","), strconv.Itoa(got)) {
		return fmt.Errorf("exit code %d, want %s", got, args[0])
	}
	return nil
}

// patient CODES COMMAND ARGS… is exits for a run whose seconds are too short for a busy machine: there
// it is made again, each time with twice the --duration. What it says is looked for in its last try.
func patient(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(testenv.Again(ts, func(n int) error { return exitsWith(ts, lasting(args, 1<<n)) }))
}

// lasting is a command line whose run takes so many times its --duration.
func lasting(args []string, times int) []string {
	args = slices.Clone(args)
	for i, arg := range args[1:] {
		if d, err := time.ParseDuration(arg); err == nil && args[i] == "--duration" {
			args[i+1] = (d * time.Duration(times)).String()
		}
	}
	return args
}

// A run that is made again takes longer, and nothing else of it changes.
func TestLasting(t *testing.T) {
	for args, want := range map[string]string{
		"0 torture run --ttl 1s --duration 2s --seed 1": "0 torture run --ttl 1s --duration 8s --seed 1",
		"0 torture scenario run gc-pause":               "0 torture scenario run gc-pause",
	} {
		if got := strings.Join(lasting(strings.Fields(args), 4), " "); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

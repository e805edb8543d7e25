package main

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

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
			"exits":  exits,
			"signal": signalWhen,
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

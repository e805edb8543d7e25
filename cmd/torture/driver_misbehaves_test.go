package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"locktorture/internal/exit"
	"locktorture/internal/testenv"
)

// opened is a driver in shell that answers the open request and then does
// something else.
func opened(then string) string { return `read line; echo '{"id":1}'; ` + then }

// TestDriversThatMisbehave checks drivers that do what no driver may: an error
// that names it, the exit code of drivers, and nothing left behind.
func TestDriversThatMisbehave(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, script, want string }{
		{"dies at once", `echo no such library >&2; exit 3`, "exit status 3\nit wrote to stderr:\n  no such library"},
		{"dies later", opened(`read line; exit 5`), "exit status 5"},
		{"ends by itself", opened(`read line; exit 0`), "caught a signal that somebody else sent"},
		{"is killed", opened(`read line; kill -9 $$`), "signal: killed"},
		{"hangs", opened(`cat >/dev/null`), "hangs: no answer to"},
		{"does not end", opened(`trap "" TERM; while :; do sleep 1; done`), "hangs: no answer to"},
		{"floods with replies", opened(`read line; exec yes '{"id":1}'`), "a second reply to request 1; each request has one"},
		{"floods with events", opened(`read line; exec yes '{"event":"lost","lease":7}'`), "floods"},
		{"floods without an end of line", opened(`read line; yes | tr -d "\n"`), "floods: line 2 is longer than 1048576 bytes"},
		{"floods its log", `head -c 20000000 /dev/zero | tr "\0" x >&2; exit 6`, "exit status 6"},
		{"writes garbage", opened(`read line; echo "Traceback (most recent call last):"; cat >/dev/null`), `wrote line 2 "Traceback (most recent call last):": no line of the protocol`},
		{"answers what was not asked", opened(`read line; echo '{"id":99}'; cat >/dev/null`), "reply to request 99, which was never made"},
		{"grants without a lease", opened(`while read line; do id=${line#*:}; id=${id%%,*}; echo "{\"id\":$id}"; done`), "grant without a lease"},
		{"answers twice", opened(`while read line; do id=${line#*:}; id=${id%%,*}; a="{\"id\":$id,\"error\":\"unsupported\"}"; echo $a; echo $a; done`), "a second reply to request 2"},
		{"closes its output", opened(`read line; exec >&-; exec cat >/dev/null`), "closed its stdout and went on"},
		{"leaves a process in its group", opened(`sleep 1000 & read line; exit 7`), "exit status 7"},
		{"leaves a process behind", opened(`setsid sleep 1000 </dev/null >/dev/null 2>&1 & sleep 0.2; cat >/dev/null`), "left its process group"},
		{"misspells a trait", `read line; echo '{"id":1,"traits":{"watch":true}}'; cat >/dev/null`, `unknown field "watch"; did you mean watched?`},
		{"speaks a later version", `read line; echo '{"id":1,"version":2}'; cat >/dev/null`, "version 2 of the protocol"},
		{"names no model", `read line; echo '{"id":1,"traits":{"model":"mutexx"}}'; cat >/dev/null`, `"mutexx"; did you mean mutex?`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			mark := newMark()
			script := filepath.Join(t.TempDir(), "driver.sh")
			if err := os.WriteFile(script, []byte(tt.script), 0o644); err != nil {
				t.Fatal(err)
			}
			var out, errOut bytes.Buffer
			start := time.Now()
			code := inProcess(t.Context(), []string{"driver", "check", "env " + mark + " sh " + script, "--topology", "none", "--only", "unknown-operation,grant"},
				strings.NewReader(""), &out, &errOut)
			if code != exit.Driver || !strings.Contains(errOut.String(), tt.want) || !strings.Contains(errOut.String(), "driver.sh") {
				t.Errorf("exit code %d, want %d and an error that names the driver and says %q:\n%s%s", code, exit.Driver, tt.want, &out, &errOut)
			}
			if errOut.Len() > 8<<10 {
				t.Errorf("the error has %d bytes", errOut.Len())
			}
			if took := time.Since(start); tt.name == "grants without a lease" && took > 30*time.Second {
				t.Errorf("told after %v, when the acquire had ended anyway", took)
			}
			noneLeft(t, mark)
		})
	}
}

// TestDriverDiesInARun: the harness does not take a program that fell over for a lock that
// waits.
func TestDriverDiesInARun(t *testing.T) {
	mark := markProcesses(t)
	dir := t.TempDir()
	script := filepath.Join(dir, "driver.sh")
	if err := os.WriteFile(script, []byte(opened(`while read line; do case $line in *close*) exit 0;; *acquire*) sleep 0.2; echo no more memory >&2; exit 9;; esac; done`)), 0o644); err != nil {
		t.Fatal(err)
	}
	var out, errOut bytes.Buffer
	start := time.Now()
	code := inProcess(t.Context(), []string{"run", "--driver", "sh " + script, "--topology", "none", "--nemesis", "none",
		"--duration", "60s", "--quiet", "--dir", filepath.Join(dir, "runs")}, strings.NewReader(""), &out, &errOut)
	if code != exit.Driver || !strings.Contains(errOut.String(), "the driver failed: client ") || !strings.Contains(errOut.String(), "exit status 9\nit wrote to stderr:\n  no more memory\n") {
		t.Errorf("exit code %d, want %d and an error that says how the driver ended:\n%s%s", code, exit.Driver, &out, &errOut)
	}
	if took := time.Since(start); took > 45*time.Second {
		t.Errorf("the run went on for %v", took)
	}
	noneLeft(t, mark)
}

// TestDriverThatReachesNothing: a driver that is up and never had an answer of its service is
// not taken for a lock that is stuck.
func TestDriverThatReachesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script := filepath.Join(dir, "driver.sh")
	answer := `read line; echo '{"id":1}'; while read line; do id=${line#*:}; id=${id%%,*}; case $line in *close*) exit 0;; *cancel*) ;; ` +
		`*) echo refused >&2; sleep 0.01; echo "{\"id\":$id,\"error\":\"unknown\",\"message\":\"connection refused\"}";; esac; done`
	if err := os.WriteFile(script, []byte(answer), 0o644); err != nil {
		t.Fatal(err)
	}
	var out, errOut bytes.Buffer
	code := inProcess(t.Context(), []string{"run", "--driver", "sh " + script, "--topology", "none", "--nemesis", "none", "--ttl", "200ms",
		"--duration", "1s", "--quiet", "--dir", filepath.Join(dir, "runs")}, strings.NewReader(""), &out, &errOut)
	for _, want := range []string{"the driver failed: driver sh ", "none was granted: connection refused\nit wrote to stderr:\n  refused\n", "hint: check that the driver can reach its service"} {
		if code != exit.Driver || !strings.Contains(errOut.String(), want) {
			t.Errorf("exit code %d, want %d and %q:\n%s%s", code, exit.Driver, want, &errOut, &out)
		}
	}
}

// TestDriverThatRepeatsItself: that two grants have one number is the driver's mistake, and accuses no lock.
func TestDriverThatRepeatsItself(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script := filepath.Join(dir, "driver.sh")
	grants := opened(`while read line; do id=${line#*:}; id=${id%%,*}; case $line in *close*) exit 0;; *cancel*) ;; *acquire*) sleep 0.01; echo "{\"id\":$id,\"lease\":7}";; *) echo "{\"id\":$id}";; esac; done`)
	if err := os.WriteFile(script, []byte(grants), 0o644); err != nil {
		t.Fatal(err)
	}
	var out, errOut bytes.Buffer
	code := inProcess(t.Context(), []string{"run", "--driver", "sh " + script, "--topology", "none", "--nemesis", "none", "--clients", "1",
		"--duration", "60s", "--quiet", "--dir", filepath.Join(dir, "runs")}, strings.NewReader(""), &out, &errOut)
	if code != exit.Driver || !strings.Contains(errOut.String(), "the driver failed: client 1") || !strings.Contains(errOut.String(), "a second grant of lease 7") {
		t.Errorf("exit code %d, want %d and the lease that was granted twice:\n%s%s", code, exit.Driver, &out, &errOut)
	}
}

// newMark is a variable of the environment by which processes are found.
func newMark() string {
	return fmt.Sprintf("TORTURE_TEST_MARK=%d-%d", os.Getpid(), rand.Uint64())
}

// markProcesses marks what this test starts.
func markProcesses(t *testing.T) string {
	mark := newMark()
	name, value, _ := strings.Cut(mark, "=")
	t.Setenv(name, value)
	return mark
}

// noneLeft fails if a process with a mark outlives its test.
func noneLeft(t *testing.T, mark string) {
	t.Helper()
	for deadline := time.Now().Add(testenv.Patience); ; time.Sleep(20 * time.Millisecond) {
		left := marked(t, mark)
		if len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("left behind: %v", left)
		}
	}
}

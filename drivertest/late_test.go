package drivertest_test

import (
	"bufio"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"locktorture/internal/testenv"
)

// slowLock is a lock whose acquire cannot be interrupted and is granted after five seconds. It
// says on stderr what it asks for and what is given back.
const slowLock = `
import sys, time
sys.path.insert(0, "../drivers/python")
from torture_driver import Grant, main

class Slow:
    def open(self, o):
        return {"wait": "spin"}
    def acquire(self, name, timeout, cancelled):
        print("asks for", name, file=sys.stderr, flush=True)
        time.sleep(5)
        return Grant(name)
    def release(self, grant):
        print("given back", grant.lock, file=sys.stderr, flush=True)

main(Slow())
`

// TestLateGrant cancels an acquire that the library goes on with: the answer is unknown, and what
// is granted after that is given back.
func TestLateGrant(t *testing.T) {
	t.Parallel()
	const python = "/usr/bin/python3"
	if _, err := exec.LookPath(python); err != nil {
		t.Skip(err)
	}
	cmd := exec.CommandContext(t.Context(), python, "-c", slowLock)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	told, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	replies := bufio.NewScanner(out)
	ask := func(request string) string {
		if _, err := fmt.Fprintln(in, request); err != nil {
			t.Fatal(err)
		}
		if !replies.Scan() {
			t.Fatalf("no reply to %s: %v", request, replies.Err())
		}
		return replies.Text()
	}
	if reply := ask(`{"id":1,"op":"open","open":{"endpoints":[],"ttl":1000000000}}`); !strings.Contains(reply, `"version": 1`) {
		t.Fatalf("open is answered with %s", reply)
	}
	if _, err := fmt.Fprintln(in, `{"id":2,"op":"acquire","lock":"late"}`); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(told)
	if lines.Scan(); lines.Text() != "asks for late" { // it can go on with it from now on
		t.Fatalf("it says %q: %v", lines.Text(), lines.Err())
	}
	if reply := ask(`{"op":"cancel","target":2}`); !strings.Contains(reply, `"id": 2`) || !strings.Contains(reply, `"unknown"`) {
		t.Errorf("the cancelled acquire is answered with %s, want unknown", reply)
	}
	back := make(chan string, 1)
	go func() {
		lines.Scan()
		back <- lines.Text()
	}()
	select {
	case line := <-back:
		if line != "given back late" {
			t.Errorf("it says %q", line)
		}
	case <-time.After(testenv.Patience):
		t.Error("a grant that came after the answer is not given back")
	}
}

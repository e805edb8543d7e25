//go:build linux

package main

import (
	"bufio"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// TestDriverEndsOfSignals: a signal that somebody sends to the process of a client ends it with that signal and not
// with exit status 0, so that the harness can say why the process has ended.
func TestDriverEndsOfSignals(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		cmd := exec.CommandContext(t.Context(), "torture", "driver")
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := in.Write([]byte(`{"id":1,"op":"nothing"}` + "\n")); err != nil {
			t.Fatal(err)
		}
		if _, err := bufio.NewReader(out).ReadString('\n'); err != nil { // it runs
			t.Fatal(err)
		}
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err == nil || !strings.Contains(err.Error(), "signal: "+sig.String()) {
			t.Errorf("%v: %v", sig, err)
		}
	}
}

package driver_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"locktorture/locks"
	"locktorture/locks/driver"
)

// state returns the state letter of a process; "" if there is none, or a zombie.
func state(pid int) string {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	s := string(b[bytes.LastIndexByte(b, ')')+2:][0])
	if s == "Z" || s == "X" {
		return ""
	}
	return s
}

func TestPauseStopsTheProcess(t *testing.T) {
	s := localServer(t)
	a, b := startLocal(t, s, 1), startLocal(t, s, 2)
	held := acquire(t, a, "x")
	if err := a.Pause(within(t, 10*time.Second)); err != nil {
		t.Fatal(err)
	}
	if got := state(a.Pid()); got != "T" {
		t.Fatalf("state %q after a pause, want T", got)
	}
	released := make(chan error, 1)
	go func() { released <- held.Release(t.Context()) }()
	if _, err := b.Acquire(within(t, 200*time.Millisecond), "x"); !errors.Is(err, locks.ErrNotAcquired) {
		t.Errorf("a stopped client lost its lease: %v", err)
	}
	select {
	case err := <-released:
		t.Fatalf("a stopped process answered: %v", err)
	default:
	}
	if err := a.Resume(within(t, 10*time.Second)); err != nil {
		t.Fatal(err)
	}
	if err := <-released; err != nil {
		t.Errorf("release that was sent during the pause: %v", err)
	}
	acquire(t, b, "x")
}

// The grace of an ended call does not run while the process is stopped.
func TestPauseDoesNotMakeACallUnknown(t *testing.T) {
	s := localServer(t)
	c := childCommand("driver")
	c.Grace = time.Second // in which a process that is resumed must answer on a busy machine
	k := start(t, c, driver.Open{Backend: "local", Endpoints: []string{s.Addr()}})
	held := acquire(t, startLocal(t, s, 1), "x")
	if err := k.Pause(t.Context()); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		_, err := k.Acquire(ctx, "x")
		done <- err
	}()
	cancel()
	select {
	case err := <-done:
		// Had cancel come before the request was written, nothing was sent.
		if !errors.Is(err, locks.ErrNotAcquired) {
			t.Fatalf("a stopped process gave an answer: %v", err)
		}
		return
	case <-time.After(c.Grace + c.Grace/2):
	}
	if err := k.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-done; !errors.Is(err, locks.ErrNotAcquired) {
		t.Errorf("cancelled during a pause: %v, want ErrNotAcquired", err)
	}
	_ = held.Release(t.Context())
}

func TestKillMakesPendingCallsUnknown(t *testing.T) {
	s := localServer(t)
	a, b := startLocal(t, s, 1), startLocal(t, s, 2)
	acquire(t, a, "held by a")
	acquire(t, b, "held by b")
	done := make(chan error, 1)
	go func() {
		_, err := a.Acquire(t.Context(), "held by b")
		done <- err
	}()
	if err := a.Kill(within(t, 10*time.Second)); err != nil {
		t.Fatal(err)
	}
	if got := state(a.Pid()); got != "" {
		t.Errorf("state %q after a kill", got)
	}
	err := <-done
	if err == nil || errors.Is(err, locks.ErrNotAcquired) || !strings.Contains(err.Error(), "killed") {
		t.Errorf("pending acquire: %v, want an unknown outcome that names the kill", err)
	}
	if _, err := a.Acquire(t.Context(), "x"); err == nil {
		t.Error("a dead driver granted a lock")
	}
	if err := a.Kill(t.Context()); err != nil {
		t.Errorf("second kill: %v", err)
	}
	if err := a.Pause(t.Context()); err == nil {
		t.Error("a dead process was paused")
	}
	acquire(t, b, "held by a") // its connection died with it
}

func TestKillOfAStoppedProcess(t *testing.T) {
	k := startLocal(t, localServer(t), 1)
	if err := k.Pause(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := k.Kill(within(t, 10*time.Second)); err != nil {
		t.Fatal(err)
	}
	if got := state(k.Pid()); got != "" {
		t.Errorf("state %q after a kill", got)
	}
}

func TestGarbageNamesTheLine(t *testing.T) {
	k, err := driver.Start(within(t, 10*time.Second), childCommand("garbage"), driver.Open{})
	if err == nil {
		_, err = k.Acquire(within(t, 10*time.Second), "x")
		if kerr := k.Kill(within(t, 10*time.Second)); kerr != nil {
			t.Error(kerr)
		}
	}
	if err == nil || errors.Is(err, locks.ErrNotAcquired) || !strings.Contains(err.Error(), `line 2 "panic: not json at all"`) {
		t.Errorf("garbage on stdout: %v, want an error that names the line", err)
	}
}

func TestExitBeforeTheReply(t *testing.T) {
	_, err := driver.Start(t.Context(), driver.Command{Path: "/bin/sh", Args: []string{"-c", "exit 3"}}, driver.Open{})
	if err == nil || !strings.Contains(err.Error(), "exit status 3") || !strings.HasPrefix(err.Error(), "open: driver process") {
		t.Errorf("driver that exits: %v", err)
	}
	if _, err := driver.Start(t.Context(), driver.Command{Path: filepath.Join(t.TempDir(), "none")}, driver.Open{}); err == nil {
		t.Error("a program that does not exist was started")
	}
}

// Even a stopped driver dies with a harness that is killed.
func TestDriverDiesWithItsParent(t *testing.T) {
	c := childCommand("parent")
	cmd := exec.Command(c.Path)
	cmd.Env = c.Env
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	var pid int
	if _, err := fmt.Sscan(line, &pid); err != nil || state(pid) != "T" {
		_ = cmd.Process.Kill()
		t.Fatalf("parent said %q, state of its child %q", line, state(pid))
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	for ctx := within(t, 2*time.Minute); state(pid) != ""; time.Sleep(time.Millisecond) {
		if ctx.Err() != nil {
			t.Fatalf("driver %d outlived its parent in state %q", pid, state(pid))
		}
	}
}

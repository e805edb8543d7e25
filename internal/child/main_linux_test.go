package child_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"locktorture/internal/child"
)

// roleEnv makes the test binary a child, or a parent that starts one and prints its number.
const roleEnv = "TORTURE_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(roleEnv) {
	case "":
		os.Exit(m.Run())
	case "threads": // that run all the time
		for range 8 {
			go func() {
				//lint:ignore SA5002 a thread that runs all the time is what is stopped
				for {
				}
			}()
		}
		fmt.Println("up")
		select {}
	case "parent":
		c, err := child.Start(exec.Command("sleep", "600"), child.Options{What: "process"})
		if err == nil {
			err = c.Pause(context.Background())
		}
		fmt.Println(c.PID(), err)
		time.Sleep(10 * time.Minute)
	}
}

func within(t *testing.T, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

// start starts a command, and kills it in the end.
func start(t *testing.T, cmd *exec.Cmd, o child.Options) *child.Child {
	t.Helper()
	o.What = "process"
	c, err := child.Start(cmd, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		_ = c.Kill(ctx) // a test that is about its error kills it before
	})
	return c
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// number is an argument of sleep that no other process has: ten minutes or so.
func number() string { return fmt.Sprintf("%d.%09d", 600+os.Getpid()%100, rand.IntN(1e9)) }

// shell is a script in which N is a number of its own.
func shell(script string) (cmd *exec.Cmd, n string) {
	n = number()
	return exec.Command("/bin/sh", "-c", strings.ReplaceAll(script, "N", n)), n
}

// sleeping lists the processes "sleep n" that have not ended.
func sleeping(n string) (pids []int) {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, f := range files {
		if b, err := os.ReadFile(f); err == nil && bytes.Equal(b, []byte("sleep\x00"+n+"\x00")) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(f)))
			pids = append(pids, pid)
		}
	}
	return pids
}

// asleep returns the one process "sleep n", once it is there.
func asleep(t *testing.T, n string) int {
	t.Helper()
	for ctx := within(t, 2*time.Minute); ; time.Sleep(time.Millisecond) {
		if pids := sleeping(n); len(pids) == 1 {
			return pids[0]
		} else if ctx.Err() != nil {
			t.Fatalf("processes %v of sleep %s, want one", pids, n)
		}
	}
}

// until waits for a condition on the real world.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for ctx := within(t, 2*time.Minute); !ok(); time.Sleep(time.Millisecond) {
		if ctx.Err() != nil {
			t.Fatalf("never seen: %s", what)
		}
	}
}

// state is the letter of a process; "" if it has ended.
func state(pid int) string {
	s, err := child.ReadStat(pid)
	if err != nil || s.Ended() {
		return ""
	}
	return string(s.State)
}

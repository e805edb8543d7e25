package hostclock_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"locktorture/internal/child"
	"locktorture/internal/hostclock"
)

// TestMain is also the program whose clock is moved: it reads offsets in ns, and tells of each
// how long a nap took by its monotonic clock, and whether it sees that offset.
func TestMain(m *testing.M) {
	if os.Getenv("HOSTCLOCK_TEST_CHILD") == "" {
		os.Exit(m.Run())
	}
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		offset, err := strconv.ParseInt(in.Text(), 10, 64)
		before := time.Now()
		time.Sleep(10 * time.Millisecond)
		fmt.Println(int64(time.Since(before)), errors.Join(err, hostclock.Sees(time.Duration(offset))))
	}
}

// TestSet moves the wall clock of a child ahead and back; its monotonic clock and this
// process's clock stay.
func TestSet(t *testing.T) {
	if err := hostclock.Supported(); err != nil {
		t.Skip(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "HOSTCLOCK_TEST_CHILD=1")
	in, err := cmd.StdinPipe()
	must(t, err)
	out, err := cmd.StdoutPipe()
	must(t, err)
	var clock *hostclock.Clock
	c, err := child.Start(cmd, child.Options{What: "clocked child", Born: func(pid int) (err error) {
		clock, err = hostclock.Plant(pid)
		return err
	}})
	must(t, err)
	defer c.Kill(t.Context())
	told := bufio.NewScanner(out)
	for _, want := range []time.Duration{0, 90 * time.Minute, -1500 * time.Millisecond, 999_999_999, 0} {
		must(t, clock.Set(want))
		fmt.Fprintln(in, int64(want))
		if !told.Scan() {
			t.Fatalf("the child is gone: %v", told.Err())
		}
		took, seen, _ := strings.Cut(told.Text(), " ")
		if seen != "<nil>" {
			t.Errorf("set to %v, the child's clock tells another: %s", want, seen)
		}
		if nap, err := strconv.ParseInt(took, 10, 64); err != nil || nap < 10e6 || nap > 5e9 {
			t.Errorf("set to %v, a nap of 10 ms took %d ns, %v", want, nap, err)
		}
	}
	if err := hostclock.Sees(0); err != nil {
		t.Errorf("this process's own clock: %v", err)
	}
	must(t, c.Kill(t.Context()))
	if err := clock.Set(time.Second); err == nil {
		t.Error("the clock of a process that is gone was set")
	}
}

// TestSetAnother: a process that has become another program has the host's clock, and Set says so.
func TestSetAnother(t *testing.T) {
	if err := hostclock.Supported(); err != nil {
		t.Skip(err)
	}
	cmd := exec.Command("/bin/sh", "-c", "echo; exec sleep 1000")
	out, err := cmd.StdoutPipe()
	must(t, err)
	var clock *hostclock.Clock
	c, err := child.Start(cmd, child.Options{What: "shell", Born: func(pid int) (err error) {
		clock, err = hostclock.Plant(pid)
		return err
	}})
	must(t, err)
	defer c.Kill(t.Context())
	bufio.NewScanner(out).Scan()
	for range 500 {
		if err = clock.Set(time.Second); err != nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("the clock of another program was set")
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

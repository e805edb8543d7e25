package rawio_test

import (
	"bytes"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"locktorture/simulate/rawio"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// pair is two ends of a socket, of which the first has a bound.
func pair(t *testing.T, limit time.Duration) (a, b int) {
	t.Helper()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	must(t, err)
	t.Cleanup(func() {
		_ = unix.Close(fds[0])
		_ = unix.Close(fds[1])
	})
	must(t, rawio.Bound(fds[0], limit))
	return fds[0], fds[1]
}

// A goroutine that reads does not keep another from running for ever, not even the one that
// is to write what it waits for, with one processor for both.
func TestReadLetsOthersRun(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	a, b := pair(t, 20*time.Second)
	wrote := make(chan error, 1)
	go func() { wrote <- rawio.Write(b, []byte("late")) }()
	buf := make([]byte, 8)
	n, err := rawio.Read(a, buf)
	must(t, err)
	must(t, <-wrote)
	if !bytes.Equal(buf[:n], []byte("late")) {
		t.Errorf("%q", buf[:n])
	}
}

// A read ends with its bound, and at the end of what is read.
func TestReadEnds(t *testing.T) {
	a, b := pair(t, 5*time.Millisecond)
	if n, err := rawio.Read(a, make([]byte, 8)); n > 0 || err != unix.EAGAIN {
		t.Errorf("nobody wrote: %d, %v", n, err)
	}
	must(t, unix.Shutdown(b, unix.SHUT_RDWR))
	if n, err := rawio.Read(a, make([]byte, 8)); n != 0 || err != nil {
		t.Errorf("at the end: %d, %v", n, err)
	}
	if err := rawio.Write(unix.Stdin+1<<20, []byte("x")); err != unix.EBADF {
		t.Errorf("no such file: %v", err)
	}
}

// A thread takes turns until it leaves that.
func TestTakeTurns(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	policy := func() uint32 {
		a, err := unix.SchedGetAttr(0, 0)
		must(t, err)
		return a.Policy
	}
	was := policy()
	leave, err := rawio.TakeTurns(0)
	must(t, err)
	if during := policy(); was == unix.SCHED_NORMAL && during != unix.SCHED_BATCH || was != unix.SCHED_NORMAL && during != was {
		t.Errorf("policy %d was %d", during, was)
	}
	if leave(); policy() != was {
		t.Errorf("policy %d was %d", policy(), was)
	}
}

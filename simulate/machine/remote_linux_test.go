package machine

import (
	"errors"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"locktorture/simulate/rawio"
)

// A process that computes and says nothing is not waited for without end. One that speaks is heard.
func TestHearBusy(t *testing.T) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fds[0])
	defer unix.Close(fds[1])
	if err := rawio.Bound(fds[0], time.Millisecond); err != nil {
		t.Fatal(err)
	}
	r := &remote{fd: fds[0], in: make([]byte, hostRoom)}
	if _, err := r.hear(); !errors.Is(err, ErrBusy) {
		t.Errorf("nobody speaks: %v", err)
	}
	if err := rawio.Write(fds[1], make([]byte, hostHeader)); err != nil {
		t.Fatal(err)
	}
	if m, err := r.hear(); err != nil || len(m) != hostHeader {
		t.Errorf("%d bytes, %v", len(m), err)
	}
}

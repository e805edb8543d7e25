package rawio

import (
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Bound lets a Read of a socket end with EAGAIN after so long. A socket with a bound is also one
// whose Read the scheduler of Go can interrupt, which Read needs.
func Bound(fd int, limit time.Duration) error {
	t := unix.NsecToTimeval(int64(limit))
	return unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &t)
}

// Read reads what there is, and waits for it. Go's scheduler is not told at first: it would
// look after the thread every 20 µs, find it in the kernel, and give its work to another, which
// costs more than the answer. Once it wants the thread, after 10 ms, it is told.
func Read(fd int, b []byte) (int, error) {
	n, _, e := unix.RawSyscall(unix.SYS_READ, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)))
	if e == 0 {
		return int(n), nil
	}
	for e == unix.EINTR {
		n, err := unix.Read(fd, b)
		if err != unix.EINTR {
			return n, err
		}
	}
	return 0, e
}

// Write writes all of b.
func Write(fd int, b []byte) error {
	for len(b) > 0 {
		n, _, e := unix.RawSyscall(unix.SYS_WRITE, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)))
		switch e {
		case 0:
			b = b[n:]
		case unix.EINTR:
		default:
			return e
		}
	}
	return nil
}

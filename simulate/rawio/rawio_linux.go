package rawio

import (
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Bound makes a Read of a socket return EAGAIN after limit. The limit also lets Go's scheduler
// interrupt the system call, which Read relies on.
func Bound(fd int, limit time.Duration) error {
	t := unix.NsecToTimeval(int64(limit))
	return unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &t)
}

// Read reads the available bytes and waits for the first. It starts with a raw system call, which
// Go's scheduler does not notice: the scheduler would check the thread every 20 µs and hand its
// work to another thread, which costs more than the answer. After 10 ms the scheduler interrupts
// the call, and Read goes on with an ordinary one.
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

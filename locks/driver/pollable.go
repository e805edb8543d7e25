//go:build !wasip1

package driver

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// pollable makes the reads of a pipe park a goroutine where they would block a
// thread. A thread that blocks keeps its processor until the scheduler takes it
// away, and the call that was just read waits for that: about 50 µs for each.
func pollable(in io.Reader) (io.Reader, func()) {
	same := func() {}
	f, ok := in.(*os.File)
	if !ok {
		return in, same
	}
	if info, err := f.Stat(); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return in, same // a terminal is shared with others, who expect it to block
	}
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return in, same
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		_ = unix.Close(fd)
		return in, same
	}
	p := os.NewFile(uintptr(fd), f.Name())
	return p, func() { _ = p.Close() }
}

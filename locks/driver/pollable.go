//go:build !wasip1

package driver

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// pollable makes reads of a pipe park a goroutine instead of blocking a thread. A blocked thread
// keeps its processor until the scheduler takes it away, which delays the handling of a request by
// about 50 µs.
func pollable(in io.Reader) (io.Reader, func()) {
	same := func() {}
	f, ok := in.(*os.File)
	if !ok {
		return in, same
	}
	if info, err := f.Stat(); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return in, same // a terminal is shared with other programs that expect it to block
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

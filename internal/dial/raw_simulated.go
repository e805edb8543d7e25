//go:build simulated

package dial

import (
	"errors"
	"sync"
	"syscall"
)

// SyscallConn lets a library look whether an idle connection still lives: it reads from the
// descriptor without waiting. Sockets of the kernel stand for what it can find there.
func (c *HostConn) SyscallConn() (syscall.RawConn, error) { return rawConn{c}, nil }

type rawConn struct{ c *HostConn }

// Read calls f once.
func (r rawConn) Read(f func(fd uintptr) bool) error {
	if err := r.c.use("raw-read"); err != nil {
		return err
	}
	defer r.c.leave()
	switch n := hostRead(r.c.fd, nil, 0); {
	case n < 0:
		f(over())
	case n > 0:
		f(talking())
	default:
		f(silent())
	}
	return nil
}

// Control does nothing: there is nothing to be set.
func (rawConn) Control(func(fd uintptr)) error { return errors.ErrUnsupported }

// Write does nothing.
func (rawConn) Write(func(fd uintptr) bool) error { return errors.ErrUnsupported }

var (
	silent = sync.OnceValue(func() uintptr {
		fd, _ := sockets()
		return uintptr(fd)
	})
	over = sync.OnceValue(func() uintptr {
		fd, other := sockets()
		_ = syscall.Close(other)
		return uintptr(fd)
	})
	talking = sync.OnceValue(func() uintptr {
		fd, other := sockets()
		_, _ = syscall.Write(other, []byte{0})
		return uintptr(fd)
	})
)

// sockets are two that are connected.
func sockets() (a, b int) {
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_NONBLOCK|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, -1
	}
	return fds[0], fds[1]
}

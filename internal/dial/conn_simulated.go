//go:build simulated

package dial

import (
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
	"unsafe"
)

// The functions below are provided to a native guest by its host (simulate/machine/native).
// hostRead returns 0 if there is nothing to read yet, -1 at the end, and -2 on a broken
// connection. hostWrite returns -1 on a broken connection. All connections share the poller of
// the Go runtime.

//go:linkname hostWrite runtime.host_write
func hostWrite(fd int32, p unsafe.Pointer, n int32) int32

//go:linkname hostRead runtime.host_read
func hostRead(fd int32, p unsafe.Pointer, n int32) int32

//go:linkname hostOpen runtime.host_open
func hostOpen(fd int32) (polled uintptr)

//go:linkname hostClose runtime.host_close
func hostClose(polled uintptr)

//go:linkname hostUnblock runtime.host_unblock
func hostUnblock(polled uintptr)

//go:linkname hostReset runtime.host_reset
func hostReset(polled uintptr, mode int) int

//go:linkname hostWait runtime.host_wait
func hostWait(polled uintptr, mode int) int

//go:linkname hostDeadline runtime.host_deadline
func hostDeadline(polled uintptr, d int64, mode int)

// A HostConn is a connection that the host of a simulation made for this guest.
type HostConn struct {
	fd     int32
	polled uintptr
	addr   hostAddr

	mu     sync.Mutex
	users  int
	closed bool
}

var _ net.Conn = (*HostConn)(nil)

// NewHostConn returns the connection behind a descriptor of the host; addr is the remote
// address.
func NewHostConn(fd int32, addr string) *HostConn {
	return &HostConn{fd: fd, polled: hostOpen(fd), addr: hostAddr(addr)}
}

// use keeps the poller's entry alive until leave is called. It fails if the connection is
// closed.
func (c *HostConn) use(op string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return c.fail(op, net.ErrClosed)
	}
	c.users++
	return nil
}

func (c *HostConn) leave() {
	c.mu.Lock()
	c.users--
	last := c.closed && c.users == 0
	c.mu.Unlock()
	if last {
		hostClose(c.polled)
	}
}

func (c *HostConn) fail(op string, err error) error {
	return &net.OpError{Op: op, Net: "tcp", Source: hostAddr("client:0"), Addr: c.addr, Err: err}
}

// polling turns a code of the runtime's poller into an error; 0 means ready.
func polling(code int) error {
	switch code {
	case 0:
		return nil
	case 1:
		return net.ErrClosed
	case 2:
		return os.ErrDeadlineExceeded
	}
	return errors.ErrUnsupported
}

// Read waits until there is something to read.
func (c *HostConn) Read(b []byte) (int, error) {
	if err := c.use("read"); err != nil {
		return 0, err
	}
	defer c.leave()
	if len(b) == 0 {
		return 0, nil
	}
	err := polling(hostReset(c.polled, 'r'))
	for err == nil {
		n := hostRead(c.fd, unsafe.Pointer(unsafe.SliceData(b)), clamp(len(b)))
		switch {
		case n > 0:
			return int(n), nil
		case n == -1:
			return 0, io.EOF
		case n < 0:
			return 0, c.fail("read", os.NewSyscallError("read", syscall.ECONNRESET))
		}
		err = polling(hostWait(c.polled, 'r'))
	}
	return 0, c.fail("read", err)
}

// Write hands all of b to the host, which never runs out of room.
func (c *HostConn) Write(b []byte) (done int, err error) {
	if err := c.use("write"); err != nil {
		return 0, err
	}
	defer c.leave()
	for done < len(b) {
		if err := polling(hostReset(c.polled, 'w')); err != nil {
			return done, c.fail("write", err)
		}
		n := hostWrite(c.fd, unsafe.Pointer(unsafe.SliceData(b[done:])), clamp(len(b)-done))
		if n < 0 {
			return done, c.fail("write", os.NewSyscallError("write", syscall.EPIPE))
		}
		done += int(n)
	}
	return done, nil
}

func clamp(n int) int32 { return int32(min(n, 1<<20)) }

// Close ends the connection and every read that waits on it.
func (c *HostConn) Close() error {
	c.mu.Lock()
	again, last := c.closed, c.users == 0
	c.closed = true
	c.mu.Unlock()
	if again {
		return c.fail("close", net.ErrClosed)
	}
	hostUnblock(c.polled)
	if last {
		hostClose(c.polled)
	}
	return nil
}

// SetDeadline bounds reads and writes.
func (c *HostConn) SetDeadline(t time.Time) error { return c.deadline(t, 'r'+'w') }

// SetReadDeadline bounds reads.
func (c *HostConn) SetReadDeadline(t time.Time) error { return c.deadline(t, 'r') }

// SetWriteDeadline bounds writes.
func (c *HostConn) SetWriteDeadline(t time.Time) error { return c.deadline(t, 'w') }

func (c *HostConn) deadline(t time.Time, mode int) error {
	if err := c.use("set"); err != nil {
		return err
	}
	defer c.leave()
	var d int64 // 0 means no deadline
	if !t.IsZero() {
		if d = int64(time.Until(t)); d == 0 {
			d = -1
		}
	}
	hostDeadline(c.polled, d, mode)
	return nil
}

// RemoteAddr returns the address that was dialed.
func (c *HostConn) RemoteAddr() net.Addr { return c.addr }

// LocalAddr returns a fixed address: the simulated client has no port.
func (c *HostConn) LocalAddr() net.Addr { return hostAddr("client:0") }

package redisconn

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"sync/atomic"
	"syscall"
)

// A notSentError says that the service was asked nothing: there was no
// connection, or it broke while the library still introduced itself. Unlike
// attempt.NotSentError it does not unwrap: the library takes one layer off an error of
// that time, and would take the mark off with it.
type notSentError struct{ err error }

func (e *notSentError) Error() string { return "not sent: " + e.err.Error() }

// NotSent marks it for attempt.NotSent.
func (e *notSentError) NotSent() {}

// Timeout and Temporary make it a net.Error, as what it stands for may be.
func (e *notSentError) Timeout() bool {
	var n net.Error
	return errors.As(e.err, &n) && n.Timeout()
}

func (e *notSentError) Temporary() bool { return e.Timeout() }

// A conn knows whether anything but the library's HELLO was written to it.
type conn struct {
	net.Conn
	asked atomic.Bool
}

// A DialFunc makes a connection.
type DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error)

// Accounted makes connections whose errors tell whether anything was sent.
func Accounted(dial DialFunc) DialFunc {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := dial(ctx, network, addr)
		if err != nil {
			return nil, &notSentError{err}
		}
		return &conn{Conn: c}, nil
	}
}

// hello is how the library's introduction begins.
var hello = []byte("$5\r\nhello\r\n")

func (c *conn) Write(b []byte) (int, error) {
	if !bytes.Contains(b[:min(len(b), 16)], hello) {
		c.asked.Store(true)
	}
	n, err := c.Conn.Write(b)
	return n, c.account(err)
}

func (c *conn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	return n, c.account(err)
}

func (c *conn) account(err error) error {
	if err == nil || c.asked.Load() {
		return err
	}
	return &notSentError{err}
}

// SyscallConn lets the library look whether an idle connection still lives.
func (c *conn) SyscallConn() (syscall.RawConn, error) {
	s, ok := c.Conn.(syscall.Conn)
	if !ok {
		return nil, fmt.Errorf("%T: %w", c.Conn, errors.ErrUnsupported)
	}
	return s.SyscallConn()
}

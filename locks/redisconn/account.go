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

// A notSentError reports that the service received nothing: there was no connection, or it broke
// during the library's handshake. Unlike attempt.NotSentError it does not unwrap: the library
// removes one layer from an error of the handshake, and the mark would be lost with it.
type notSentError struct{ err error }

func (e *notSentError) Error() string { return "not sent: " + e.err.Error() }

// NotSent marks the error for attempt.NotSent.
func (e *notSentError) NotSent() {}

// Timeout and Temporary implement net.Error, which the library expects of an error while
// connecting.
func (e *notSentError) Timeout() bool {
	var n net.Error
	return errors.As(e.err, &n) && n.Timeout()
}

func (e *notSentError) Temporary() bool { return e.Timeout() }

// A conn records whether anything but the library's HELLO was written to it.
type conn struct {
	net.Conn
	asked atomic.Bool
}

// A DialFunc opens a connection.
type DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error)

// Accounted wraps a dial function. Errors of its connections report whether anything was sent.
func Accounted(dial DialFunc) DialFunc {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := dial(ctx, network, addr)
		if err != nil {
			return nil, &notSentError{err}
		}
		return &conn{Conn: c}, nil
	}
}

// hello is the start of the library's handshake.
var hello = []byte("$5\r\nhello\r\n")

// Write records that more than the handshake is sent. Before that, an error proves that the service
// received no request.
func (c *conn) Write(b []byte) (int, error) {
	if !bytes.Contains(b[:min(len(b), 16)], hello) {
		c.asked.Store(true)
	}
	n, err := c.Conn.Write(b)
	return n, c.account(err)
}

// Read marks an error before the first request as not sent.
func (c *conn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	return n, c.account(err)
}

// account marks an error before the first request as not sent.
func (c *conn) account(err error) error {
	if err == nil || c.asked.Load() {
		return err
	}
	return &notSentError{err}
}

// SyscallConn lets the library check whether an idle connection is still open.
func (c *conn) SyscallConn() (syscall.RawConn, error) {
	s, ok := c.Conn.(syscall.Conn)
	if !ok {
		return nil, fmt.Errorf("%T: %w", c.Conn, errors.ErrUnsupported)
	}
	return s.SyscallConn()
}

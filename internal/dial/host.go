//go:build wasip1 || simulated

package dial

import (
	"context"
	"errors"
	"net"
	"time"
	"unsafe"
)

const hostTaken = '+'

var (
	errNoHost  = errors.New("no such host")
	errRefused = errors.New("connection refused")
)

// Plain connects without TLS. The host of the simulation makes the connection.
func Plain(ctx context.Context, network, addr string) (net.Conn, error) {
	c, err := dialHost(ctx, addr)
	if err != nil {
		return nil, &net.OpError{Op: "dial", Net: network, Addr: hostAddr(addr), Err: err}
	}
	return c, nil
}

func dialHost(ctx context.Context, addr string) (net.Conn, error) {
	fd := hostDial(unsafe.Pointer(unsafe.StringData(addr)), int32(len(addr)))
	if fd < 0 {
		return nil, errNoHost
	}
	c, err := hostConnOf(fd, addr)
	if err != nil {
		return nil, err
	}
	if err := taken(ctx, c); err != nil {
		_ = c.Close()
		return nil, err
	}
	return c, nil
}

// taken waits until the connection is made or refused, or ctx ends.
func taken(ctx context.Context, c net.Conn) error {
	stop := context.AfterFunc(ctx, func() { _ = c.SetReadDeadline(time.Unix(1, 0)) })
	var b [1]byte
	_, err := c.Read(b[:])
	switch {
	case !stop():
		return context.Cause(ctx)
	case err != nil:
		return err
	case b[0] != hostTaken:
		return errRefused
	}
	return c.SetReadDeadline(time.Time{})
}

type hostAddr string

// Network returns "tcp", because client libraries ask for it.
func (hostAddr) Network() string { return "tcp" }

func (a hostAddr) String() string { return string(a) }

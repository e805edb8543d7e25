package postgres

import (
	"crypto/tls"
	"net"
	"syscall"
)

// silent reports whether a connection is open and nothing has come that was not read, neither
// data nor an end nor an error. False says that this is so, or that it cannot be told.
func silent(conn net.Conn) bool {
	if secured, ok := conn.(*tls.Conn); ok {
		conn = secured.NetConn()
	}
	sys, ok := conn.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := sys.SyscallConn()
	if err != nil {
		return false
	}
	nothing := false
	// Not raw.Read, which waits for whoever reads: after a slow write that is the library
	// itself.
	err = raw.Control(func(fd uintptr) {
		_, _, err := syscall.Recvfrom(int(fd), make([]byte, 1), syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		nothing = err == syscall.EAGAIN
	})
	return err == nil && nothing
}

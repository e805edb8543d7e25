package postgres

import (
	"crypto/tls"
	"net"
	"syscall"
)

// silent reports whether a connection is open and has nothing to read: no data, no end and no
// error. It also returns false if that is unknown.
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
	// raw.Read would wait for a concurrent reader, which after a slow write is the library itself.
	err = raw.Control(func(fd uintptr) {
		_, _, err := syscall.Recvfrom(int(fd), make([]byte, 1), syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		nothing = err == syscall.EAGAIN
	})
	return err == nil && nothing
}

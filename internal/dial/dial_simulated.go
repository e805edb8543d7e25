//go:build simulated

package dial

import (
	"net"
	"unsafe"
)

// hostDial asks the host for a connection to an address, a text of n bytes. It returns a
// descriptor, or -1 if no server has that address. Once the connection is made, the first byte
// read from it is hostTaken.
//
//go:linkname hostDial runtime.host_dial
func hostDial(addr unsafe.Pointer, n int32) int32

// hostConnOf returns the connection behind a descriptor of the host; addr is the remote
// address.
func hostConnOf(fd int32, addr string) (net.Conn, error) { return NewHostConn(fd, addr), nil }

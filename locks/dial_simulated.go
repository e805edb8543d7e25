//go:build simulated

package locks

import (
	"net"
	"unsafe"
)

// hostDial asks the host for a connection to an address, a text of n bytes. It returns a
// descriptor, or -1 where nobody has that address. The first byte that can be read from it is
// hostTaken once the connection is made.
//
//go:linkname hostDial runtime.host_dial
func hostDial(addr unsafe.Pointer, n int32) int32

// hostConnOf is the connection of a descriptor of the host, to an address.
func hostConnOf(fd int32, addr string) (net.Conn, error) { return NewHostConn(fd, addr), nil }

package locks

import (
	"net"
	"os"
	"unsafe"
)

// hostDial asks the host for a connection to an address, a text of n bytes. It returns a file
// descriptor that the runtime can poll, or -1 where nobody has that address: WASI has no
// sockets of its own that could be dialed. The first byte that can be read from it is hostTaken
// once the connection is made.
//
//go:wasmimport torture dial
//go:noescape
func hostDial(addr unsafe.Pointer, n int32) int32

// hostConnOf is the connection of a descriptor of the host, to an address.
func hostConnOf(fd int32, addr string) (net.Conn, error) {
	f := os.NewFile(uintptr(fd), addr)
	c, err := net.FileConn(f) // a file of its own
	_ = f.Close()
	if err != nil {
		return nil, err
	}
	return &hostConn{Conn: c, addr: hostAddr(addr)}, nil
}

// A hostConn is a connection that tells whose it is.
type hostConn struct {
	net.Conn
	addr hostAddr
}

// RemoteAddr is what was dialed.
func (c *hostConn) RemoteAddr() net.Addr { return c.addr }

// LocalAddr is the client.
func (c *hostConn) LocalAddr() net.Addr { return hostAddr("client:0") }

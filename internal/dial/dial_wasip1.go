package dial

import (
	"net"
	"os"
	"unsafe"
)

// hostDial asks the host for a connection to an address, a text of n bytes. It returns a file
// descriptor that the runtime can poll, or -1 if no server has that address: WASI itself cannot
// dial. Once the connection is made, the first byte read from it is hostTaken.
//
//go:wasmimport torture dial
//go:noescape
func hostDial(addr unsafe.Pointer, n int32) int32

// hostConnOf returns the connection behind a descriptor of the host; addr is the remote
// address.
func hostConnOf(fd int32, addr string) (net.Conn, error) {
	f := os.NewFile(uintptr(fd), addr)
	c, err := net.FileConn(f) // it duplicates the descriptor
	_ = f.Close()
	if err != nil {
		return nil, err
	}
	return &hostConn{Conn: c, addr: hostAddr(addr)}, nil
}

// A hostConn is a connection that reports the address that was dialed.
type hostConn struct {
	net.Conn
	addr hostAddr
}

// RemoteAddr returns the address that was dialed.
func (c *hostConn) RemoteAddr() net.Addr { return c.addr }

// LocalAddr returns a fixed address: the simulated client has no port.
func (c *hostConn) LocalAddr() net.Addr { return hostAddr("client:0") }

package machine

import (
	"encoding/binary"
	"fmt"
)

// socketAddr is the length of an IPv4 address in a system call, in bytes.
const socketAddr = 16

// socket carries out an operation on the socket with the descriptor fd. It returns a descriptor or a
// port, or -1.
func (p *Process) socket(op uint32, fd int32, body []byte) int32 {
	on, ok := p.World.(Network)
	if !ok {
		return -1
	}
	if op == hostSocket {
		if f := (&File{conn: true}); p.room() {
			return p.open(f)
		}
		return -1
	}
	f := p.files[fd]
	if f == nil {
		return -1
	}
	port := 0
	switch op {
	case hostConnect:
		port, ok = on.Connect(p, f, addrOf(body))
	case hostListenOp:
		port, ok = on.Listen(p, f, addrOf(body))
	case hostShut:
		on.Shut(p, f)
	}
	if !ok {
		return -1
	}
	return int32(port)
}

// addrOf returns the address of a system call as text.
func addrOf(b []byte) string {
	if len(b) < socketAddr {
		return ""
	}
	return fmt.Sprintf("%d.%d.%d.%d:%d", b[4], b[5], b[6], b[7], binary.BigEndian.Uint16(b[2:]))
}

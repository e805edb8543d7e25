package app

import (
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// waiting returns the number of bytes in a pipe.
func waiting(f *os.File) int {
	raw, err := f.SyscallConn()
	if err != nil {
		return -1
	}
	n := -1
	err = raw.Control(func(fd uintptr) { n, _ = unix.IoctlGetInt(int(fd), unix.TIOCINQ) })
	if err != nil {
		return -1
	}
	return n
}

// hungUp reports whether the other side of a connection has closed it.
func hungUp(c net.Conn) bool {
	tcp, ok := c.(*net.TCPConn)
	if !ok {
		return false
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return true
	}
	state := uint8(0)
	err = raw.Control(func(fd uintptr) {
		if info, err := unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO); err == nil {
			state = info.State
		}
	})
	const established = 1
	return err != nil || state != established
}

package cluster

import (
	"encoding/binary"
	"fmt"
	"net"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// The layout of a request for one socket (inet_diag_req_v2) and of its answer (inet_diag_msg), each
// after the 16 bytes of a netlink header.
const (
	netlinkHeader = 16
	diagRequest   = 56
	diagInode     = 68 // offset of the inode in the answer
	diagAnswer    = 72
)

// socketInode asks the kernel for one socket by its two addresses. Reading the list of all sockets
// in /proc/net/tcp would take time in proportion to their number, which reaches thousands after
// some runs.
func socketInode(own, other net.Addr) (string, error) {
	from, ok1 := own.(*net.TCPAddr)
	to, ok2 := other.(*net.TCPAddr)
	if !ok1 || !ok2 || from.IP.To4() == nil || to.IP.To4() == nil {
		return "", fmt.Errorf("%v to %v is no connection over IPv4", own, other)
	}
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, unix.NETLINK_SOCK_DIAG)
	if err != nil {
		return "", fmt.Errorf("ask the kernel for a socket: %w", err)
	}
	defer unix.Close(fd)
	if err := unix.Sendto(fd, diagQuestion(from, to), 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return "", fmt.Errorf("ask the kernel for a socket: %w", err)
	}
	answer := make([]byte, 4096)
	n, _, err := unix.Recvfrom(fd, answer, 0)
	if err != nil {
		return "", fmt.Errorf("ask the kernel for a socket: %w", err)
	}
	return diagnosed(answer[:n])
}

// diagQuestion returns the request for one TCP socket.
func diagQuestion(own, other *net.TCPAddr) []byte {
	q := make([]byte, netlinkHeader+diagRequest)
	host := binary.NativeEndian
	host.PutUint32(q[0:], uint32(len(q)))
	host.PutUint16(q[4:], unix.SOCK_DIAG_BY_FAMILY)
	host.PutUint16(q[6:], unix.NLM_F_REQUEST)
	b := q[netlinkHeader:]
	b[0], b[1] = unix.AF_INET, unix.IPPROTO_TCP
	host.PutUint32(b[4:], ^uint32(0)) // in any state
	binary.BigEndian.PutUint16(b[8:], uint16(own.Port))
	binary.BigEndian.PutUint16(b[10:], uint16(other.Port))
	copy(b[12:], own.IP.To4())
	copy(b[28:], other.IP.To4())
	host.PutUint64(b[48:], ^uint64(0)) // with any cookie
	return q
}

// diagnosed reads the inode from an answer.
func diagnosed(answer []byte) (string, error) {
	host := binary.NativeEndian
	if len(answer) < netlinkHeader+4 {
		return "", fmt.Errorf("ask the kernel for a socket: an answer of %d bytes", len(answer))
	}
	if host.Uint16(answer[4:]) == unix.NLMSG_ERROR {
		errno := syscall.Errno(-int32(host.Uint32(answer[netlinkHeader:])))
		if errno == syscall.ENOENT {
			return "", errNoSocket
		}
		return "", fmt.Errorf("ask the kernel for a socket: %w", errno)
	}
	if len(answer) < netlinkHeader+diagAnswer {
		return "", fmt.Errorf("ask the kernel for a socket: an answer of %d bytes", len(answer))
	}
	inode := host.Uint32(answer[netlinkHeader+diagInode:])
	if inode == 0 { // its process has closed it
		return "", errNoSocket
	}
	return strconv.FormatUint(uint64(inode), 10), nil
}

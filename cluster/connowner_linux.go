package cluster

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
)

// connOwner returns the index of the process that holds the remote end of an IPv4 connection, or
// -1.
func connOwner(c net.Conn, pids []int) (int, error) {
	inode, err := socketInode(c.RemoteAddr(), c.LocalAddr())
	if err != nil {
		return -1, err
	}
	want := "socket:[" + inode + "]"
	for i, pid := range pids {
		if pid > 0 && holds(pid, want) {
			return i, nil
		}
	}
	return -1, nil
}

// holds reports whether a process has a file descriptor of target.
func holds(pid int, target string) bool {
	dir := fmt.Sprintf("/proc/%d/fd", pid)
	fds, err := os.ReadDir(dir)
	if err != nil { // the process has ended
		return false
	}
	for _, fd := range fds {
		if to, err := os.Readlink(filepath.Join(dir, fd.Name())); err == nil && to == target {
			return true
		}
	}
	return false
}

package cluster

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
)

// connOwner returns which of some processes (an index) holds the other end of
// a connection over IPv4, or -1.
func connOwner(c net.Conn, pids []int) (int, error) {
	inode, err := remoteInode(c)
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

// holds tells whether a process has a file descriptor that leads to target.
func holds(pid int, target string) bool {
	dir := fmt.Sprintf("/proc/%d/fd", pid)
	fds, err := os.ReadDir(dir)
	if err != nil { // the process has gone
		return false
	}
	for _, fd := range fds {
		if to, err := os.Readlink(filepath.Join(dir, fd.Name())); err == nil && to == target {
			return true
		}
	}
	return false
}

// remoteInode returns the inode of the socket at the other end of a
// connection within this machine.
func remoteInode(c net.Conn) (string, error) {
	other, err := procAddr(c.RemoteAddr())
	if err != nil {
		return "", err
	}
	own, err := procAddr(c.LocalAddr())
	if err != nil {
		return "", err
	}
	f, err := os.Open("/proc/net/tcp")
	if err != nil {
		return "", err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		// sl local remote st queues timer retransmits uid timeout inode …
		if f := strings.Fields(lines.Text()); len(f) > 9 && f[1] == other && f[2] == own {
			return f[9], nil
		}
	}
	return "", fmt.Errorf("no socket %s in /proc/net/tcp: %w", other, lines.Err())
}

// procAddr writes an address as /proc/net/tcp does: the bytes of the IP backwards, on the
// machines that we know.
func procAddr(a net.Addr) (string, error) {
	t, ok := a.(*net.TCPAddr)
	if !ok || t.IP.To4() == nil {
		return "", fmt.Errorf("%v is no IPv4 address", a)
	}
	ip := t.IP.To4()
	return fmt.Sprintf("%02X%02X%02X%02X:%04X", ip[3], ip[2], ip[1], ip[0], t.Port), nil
}

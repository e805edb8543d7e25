package app

import (
	"bytes"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"locktorture/cluster/docker"
)

// aroundEvery is the interval at which the connections of this machine are checked.
const aroundEvery = 50 * time.Millisecond

// watchAround records replicas with a connection to a server that bypasses their links, until the
// replicas end. It may miss a connection that is shorter than aroundEvery.
func (s *stage) watchAround() {
	servers := map[string]string{} // address in the kernel's form → name
	for _, n := range s.act.servers.Nodes {
		if addr := kernelAddr(n.Addr()); addr != "" {
			servers[addr] = n.Name()
		}
	}
	if s.file.Boxed() {
		s.watchBoxes(servers)
		return
	}
	known, noted := map[string]string{}, map[string]bool{}
	for pause(s.life, aroundEvery) {
		now := connectedTo("/proc/self", servers)
		fresh := map[string]string{}
		for socket, server := range now {
			if known[socket] == "" {
				fresh[socket] = server
			}
		}
		known = now
		if len(fresh) == 0 {
			continue
		}
		for socket := range socketsOf("self") {
			delete(fresh, socket)
		}
		for who, server := range s.owners(fresh) {
			if !noted[fmt.Sprint(who, server)] {
				noted[fmt.Sprint(who, server)] = true
				s.book.around(who.client, who.process, server)
			}
		}
	}
}

// watchBoxes does that for containers, each with a network of its own.
func (s *stage) watchBoxes(servers map[string]string) {
	noted := map[string]bool{}
	for pause(s.life, aroundEvery) {
		for _, r := range s.replicas {
			q, err := r.present()
			if err != nil {
				continue
			}
			process := fmt.Sprint("/proc/", q.body.(docker.Running).PID())
			for _, server := range connectedTo(process, servers) {
				if who := fmt.Sprint(r.number, server); !noted[who] {
					noted[who] = true
					s.book.around(r.number, r.number0(), server)
				}
			}
		}
	}
}

// kernelAddr returns an IPv4 address in the form of /proc/net/tcp, and "" for other addresses.
func kernelAddr(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if host == "localhost" {
		host = "127.0.0.1"
	}
	ip, ierr := netip.ParseAddr(host)
	n, perr := strconv.ParseUint(port, 10, 16)
	if err != nil || ierr != nil || perr != nil || !ip.Is4() {
		return ""
	}
	b := ip.As4()
	return fmt.Sprintf("%02X%02X%02X%02X:%04X", b[3], b[2], b[1], b[0], n)
}

// connectedTo returns the inodes of the sockets in the network of a process that are connected to servers,
// including IPv6 sockets with an IPv4 address.
func connectedTo(process string, servers map[string]string) map[string]string {
	found := map[string]string{}
	for _, file := range []string{process + "/net/tcp", process + "/net/tcp6"} {
		text, _ := os.ReadFile(file) // without IPv6 the file is missing
		for line := range bytes.Lines(text) {
			words := strings.Fields(string(line))
			if len(words) < 10 || words[3] != "01" {
				continue
			}
			if server := servers[strings.TrimPrefix(words[2], "0000000000000000FFFF0000")]; server != "" {
				found[words[9]] = server
			}
		}
	}
	return found
}

// socketsOf lists the sockets of a process.
func socketsOf(pid string) map[string]bool {
	list := map[string]bool{}
	fds, _ := filepath.Glob("/proc/" + pid + "/fd/*") // the pattern is valid
	for _, fd := range fds {
		to, _ := os.Readlink(fd) // it may be closed
		if inode, ok := strings.CutPrefix(to, "socket:["); ok {
			list[strings.TrimSuffix(inode, "]")] = true
		}
	}
	return list
}

// A who is a process of a replica.
type who struct{ client, process int }

// owners returns the processes of replicas that have sockets, each with the server of one.
// Processes that a replica has started are found by its address for events in their environment, in
// any process group.
func (s *stage) owners(sockets map[string]string) map[who]string {
	found := map[who]string{}
	sockets = maps.Clone(sockets)
	dirs, _ := filepath.Glob("/proc/[0-9]*") // the pattern is valid
	for _, dir := range dirs {
		if len(sockets) == 0 {
			break
		}
		env, _ := os.ReadFile(filepath.Join(dir, "environ")) // of another user, or ended
		_, rest, ok := bytes.Cut(env, []byte(varEvents+"=http://"+s.events.addr+"/"))
		var w who
		if !ok {
			continue
		}
		if n, _ := fmt.Sscanf(string(rest), "%d.%d", &w.client, &w.process); n != 2 || w.client < 1 {
			continue
		}
		for socket := range socketsOf(filepath.Base(dir)) {
			if server := sockets[socket]; server != "" {
				found[w] = server
				delete(sockets, socket)
			}
		}
	}
	return found
}

package inside

import (
	"fmt"
	"strconv"
	"strings"
)

// Redis, Etcd and NATS are the kinds of servers. Etcd and NATS are clusters.
const (
	Redis = "redis"
	Etcd  = "etcd"
	NATS  = "nats"
)

// Ports returns the port for clients of each kind of server. The members of a cluster reach each
// other at PeerPort.
func Ports() map[string]int { return map[string]int{Redis: 6379, Etcd: 2379, NATS: 4222} }

// PeerPort is the port at which the members of a cluster reach each other.
const PeerPort = 6222

// ServerName returns the name of the n-th server of a kind, from 1.
func ServerName(kind string, n int) string { return fmt.Sprintf("%s-%d", kind, n) }

// ServerAddr returns the address at which clients dial the n-th server of a kind, from 1.
func ServerAddr(kind string, n int) string {
	return fmt.Sprintf("%s:%d", ServerName(kind, n), Ports()[kind])
}

// DriverAddr returns the address at which the harness dials a new process of a client. The host
// then starts the process.
func DriverAddr(client, process int) string { return fmt.Sprintf("driver-%d-%d", client, process) }

// ParseAddr parses either form of address; ok is false for any other text.
func ParseAddr(addr string) (server, client, process int, ok bool) {
	if kind, _, cut := strings.Cut(addr, "-"); cut && Ports()[kind] > 0 {
		number, _, _ := strings.Cut(addr[len(kind)+1:], ":")
		server, err := strconv.Atoi(number)
		return server, 0, 0, err == nil && server > 0 && addr == ServerAddr(kind, server)
	}
	n, err := fmt.Sscanf(addr, "driver-%d-%d", &client, &process)
	return 0, client, process, n == 2 && err == nil && client > 0
}

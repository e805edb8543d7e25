package inside

import "fmt"

// ServerAddr returns the address at which clients dial the n-th server, from 1.
func ServerAddr(n int) string { return fmt.Sprintf("redis-%d:6379", n) }

// The ports of a server of etcd.
const (
	ClientPort = 2379
	PeerPort   = 2380
)

// EtcdName returns the name of the n-th server of etcd, from 1.
func EtcdName(n int) string { return fmt.Sprintf("etcd-%d", n) }

// EtcdAddr returns the address at which clients dial the n-th server of etcd, from 1.
func EtcdAddr(n int) string { return fmt.Sprintf("%s:%d", EtcdName(n), ClientPort) }

// DriverAddr returns the address at which the harness dials a new process of a client. The host
// then starts the process.
func DriverAddr(client, process int) string { return fmt.Sprintf("driver-%d-%d", client, process) }

// ParseAddr parses either form of address; ok is false for any other text.
func ParseAddr(addr string) (server, client, process int, ok bool) {
	if n, err := fmt.Sscanf(addr, "redis-%d:6379", &server); n == 1 && err == nil {
		return server, 0, 0, server > 0
	}
	if n, err := fmt.Sscanf(addr, "etcd-%d:2379", &server); n == 1 && err == nil {
		return server, 0, 0, server > 0
	}
	n, err := fmt.Sscanf(addr, "driver-%d-%d", &client, &process)
	return 0, client, process, n == 2 && err == nil && client > 0
}

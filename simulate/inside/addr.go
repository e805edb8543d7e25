package inside

import "fmt"

// ServerAddr is where clients dial the n-th server, from 1.
func ServerAddr(n int) string { return fmt.Sprintf("redis-%d:6379", n) }

// DriverAddr is where the harness dials a new process of a client; the host starts it then.
func DriverAddr(client, process int) string { return fmt.Sprintf("driver-%d-%d", client, process) }

// ParseAddr takes either apart; ok is false for what is neither.
func ParseAddr(addr string) (server, client, process int, ok bool) {
	if n, err := fmt.Sscanf(addr, "redis-%d:6379", &server); n == 1 && err == nil {
		return server, 0, 0, server > 0
	}
	n, err := fmt.Sscanf(addr, "driver-%d-%d", &client, &process)
	return 0, client, process, n == 2 && err == nil && client > 0
}

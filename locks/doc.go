// Package locks is the contract between the harness and a lock: the duties of every implementation
// (Locker, Lease), its optional capabilities (interfaces with one method), and its declared
// properties as data (Traits).
//
// # Reading order
//
// Read locks.go first, the whole contract with its errors; then clock.go, probe.go (the harness's
// view of the servers), access.go and scope.go (servers that the user brings). Package attempt
// holds the code that all locks share. redis/set.go is the smallest lock.
package locks

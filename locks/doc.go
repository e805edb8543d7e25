// Package locks is the contract between the harness and a lock: what every
// implementation must do (Locker, Lease), what it may do (one-method
// interfaces), and what it declares about itself as data (Traits).
//
// # Reading order
//
// Read locks.go first, the whole contract with its errors; then clock.go, probe.go (how the
// harness looks at the servers), access.go and scope.go (servers that the user brings). Package
// attempt holds the code that all locks share. redis/set.go is the smallest lock.
package locks

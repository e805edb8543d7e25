// Package locks is the contract between the harness and a lock: what every
// implementation must do (Locker, Lease), what it may do (one-method
// interfaces), and what it declares about itself as data (Traits).
//
// # Reading order
//
// Read first locks.go, the whole contract with its errors; then clock.go, probe.go (how
// servers are looked at), access.go and scope.go (servers of the user's own). Package attempt
// has what all locks have in common, redis/set.go is the smallest lock.
package locks

// Package explore takes a lock from a search in virtual time to a run directory: it finds faults
// that break the lock, reduces them, explains them, and plays them once more as a run that is kept.
// The commands explore, shrink and replay, and package gotest, are thin layers above it.
//
// # Reading order
//
// guests.go (the programs that are played), lab.go (the servers of the trials), finding.go (from a
// finding to its cause), keep.go (the run directory of a finding). Package kept stores a user's lock
// beside its run. Package session executes the commands, and tries a finding on real servers.
package explore

// Package explore takes a lock from a search in virtual time to a run directory: it finds what
// breaks the lock, cuts it down to what matters, tells why, and plays it once more as a run that is
// kept. The commands explore, shrink and replay, and package gotest, are thin above it.
//
// # Reading order
//
// guests.go (the programs that are played), lab.go (where), finding.go (from what was found to
// its cause), keep.go (its run directory). Package kept keeps a lock of somebody's own beside it,
// package session is what the commands do, and tries it on real servers.
package explore

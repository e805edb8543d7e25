// Package runs makes trials of what the command line says: which lock, on which servers, under
// which load and faults, and how what it came to is printed, repeated and reproduced. It needs
// flags, and no commands.
//
// # Reading order
//
// spec.go (the flags of torture run), run.go (the runs that they ask for), once.go (one of them, as
// a trial), lock.go, source.go and servers.go (the lock and its servers), access.go and keys.go
// (servers of the user's own), clients.go, load.go, holds.go and points.go (what the clients do, and
// the faults), show.go and expect.go (the verdict, and the exit code).
package runs

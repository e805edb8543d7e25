// Package machine runs programs that are compiled to wasip1, so that nothing which they see
// comes from this host: time, randomness and connections are given to them by a World. The
// runtime of a Go program has one thread there, and takes from its host all that is not
// determined by the program; so it is deterministic, libraries included, without a change.
//
// A Process is a coroutine: Step runs it until it waits, and nothing else runs meanwhile. Many
// processes of one World so happen in one order, which the World decides.
//
// # Reading order
//
// program.go and process.go; files.go; wasi.go with calls.go and poll.go (the system calls);
// snapshot.go with random.go, instance.go, image.go and memory_linux.go (why a process starts
// quickly); build.go, source.go and keep.go (where the program comes from).
package machine

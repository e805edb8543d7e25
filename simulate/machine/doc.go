// Package machine runs programs that receive time, randomness and connections from a World, and
// nothing from this host. The runtime of such a Go program has one thread and takes every input
// from its host. So the program is deterministic, with all its libraries, and without changes.
//
// There are two kinds of programs, built from the same source. Programs compiled to wasip1 run
// everywhere. A native program consists of kernel processes whose Go runtime has a few changed
// lines (package native), so that it sends its system calls to the host over a socket. Native is
// the default on Linux with amd64, for the versions of Go whose runtime is known.
// TORTURE_GUEST=wasm or TORTURE_GUEST=native in the environment selects a kind (kind.go).
//
// A native process whose World is a Network has sockets: it dials, listens and accepts with
// the unchanged API of package net (network.go). So a server can be a process, too.
//
// Step runs one Process until it waits, and nothing else runs meanwhile. So the World decides the
// order in which its processes run.
//
// # Reading order
//
// program.go and process.go; files.go. Native: native_linux.go, nursery_linux.go (fast starts of
// processes), remote_linux.go and sockets_linux.go (the messages), and package native. Wasm: wasi.go
// with calls.go and poll.go (the system calls); snapshot.go with random.go, instance.go, image.go and
// memory_linux.go (fast starts). build.go, source.go and keep.go build and cache programs.
package machine

// Package machine runs programs so that nothing which they see comes from this host: time,
// randomness and connections are given to them by a World. The runtime of a Go program has one
// thread there, and takes from its host all that is not determined by the program; so it is
// deterministic, libraries included, without a change.
//
// There are two kinds of such programs, from the same source. Those that are compiled to wasip1
// run everywhere. A native one is made of processes of the kernel whose runtime is compiled with
// a few lines changed (package native), so that it asks its host by messages on a socket. It is
// the usual one where it can be: on Linux with amd64, for versions of Go whose runtime is known.
// TORTURE_GUEST=wasm and TORTURE_GUEST=native in the environment ask for one kind (kind.go).
//
// A Process runs in Step alone, until it waits, and nothing else runs meanwhile. Many processes
// of one World so happen in one order, which the World decides.
//
// # Reading order
//
// program.go and process.go; files.go. Native: native_linux.go, nursery_linux.go (why a process
// starts quickly), remote_linux.go (the messages), and the package native. In wasm: wasi.go with
// calls.go and poll.go (the system calls); snapshot.go with random.go, instance.go, image.go and
// memory_linux.go (why it starts quickly there). build.go, source.go and keep.go: where programs
// come from.
package machine

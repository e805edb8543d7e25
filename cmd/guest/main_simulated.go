//go:build simulated

package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
	_ "unsafe" // for go:linkname

	"locktorture/locks"
)

// hostNursery returns in each process that the host has asked for on a socket, with its name.
//
//go:linkname hostNursery runtime.host_nursery
func hostNursery(fd int32) string

//go:linkname hostExit runtime.host_exit
func hostExit(code int32)

// nursery is the descriptor of the socket on which processes are asked for.
const nursery = 3

// main makes processes: each is this one, which has been initialized, once more.
func main() {
	standStill()
	signal.Ignore(syscall.SIGPIPE)
	time.AfterFunc(time.Hour, func() {}).Stop() // with the first timer the runtime makes its poller
	name := hostNursery(nursery)
	in, out := locks.NewHostConn(0, "host"), locks.NewHostConn(1, "host")
	if err := run(context.Background(), []string{"guest", name}, in, out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		hostExit(1)
	}
	hostExit(0)
}

// standStill makes the addresses of memory the same each time.
func standStill() {
	const (
		personality = 135
		noRandom    = 0x0040000
	)
	had, _, _ := syscall.RawSyscall(personality, 0xffffffff, 0, 0)
	if had&noRandom != 0 {
		return
	}
	if _, _, e := syscall.RawSyscall(personality, had|noRandom, 0, 0); e != 0 {
		return
	}
	_ = syscall.Exec("/proc/self/exe", os.Args, os.Environ())
}

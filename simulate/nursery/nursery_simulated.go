//go:build simulated

package nursery

import (
	"os"
	"os/signal"
	"syscall"
	"time"
	_ "unsafe" // for go:linkname

	"locktorture/internal/dial"
)

// hostNursery returns in each process that the host requests over the socket, with the name of the
// process.
//
//go:linkname hostNursery runtime.host_nursery
func hostNursery(fd int32) string

//go:linkname hostExit runtime.host_exit
func hostExit(code int32)

// socket is the descriptor over which the host requests processes.
const socket = 3

// Born returns once in each process, with the name of the process. The program that calls it first
// stays the origin of all processes. The host's messages are read from in and answered on out.
func Born() (name string, in, out *dial.HostConn) {
	standStill()
	signal.Ignore(syscall.SIGPIPE)
	time.AfterFunc(time.Hour, func() {}).Stop() // the first timer makes the runtime create its poller
	name = hostNursery(socket)
	return name, dial.NewHostConn(0, "host"), dial.NewHostConn(1, "host")
}

// Exit ends the process and reports the exit code to the host.
func Exit(code int) { hostExit(int32(code)) }

// standStill turns off address randomization, so that memory addresses are the same in each run.
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

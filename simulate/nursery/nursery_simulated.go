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

// hostNursery returns in each process that the host has asked for on a socket, with its name.
//
//go:linkname hostNursery runtime.host_nursery
func hostNursery(fd int32) string

//go:linkname hostExit runtime.host_exit
func hostExit(code int32)

// socket is the descriptor on which the host asks for processes.
const socket = 3

// Born returns once in each process, with the process's name. Until then this is the program from
// which processes are made. The host's messages are read from in, and answered on out.
func Born() (name string, in, out *dial.HostConn) {
	standStill()
	signal.Ignore(syscall.SIGPIPE)
	time.AfterFunc(time.Hour, func() {}).Stop() // with the first timer the runtime makes its poller
	name = hostNursery(socket)
	return name, dial.NewHostConn(0, "host"), dial.NewHostConn(1, "host")
}

// Exit ends the process, and tells the host its exit code.
func Exit(code int) { hostExit(int32(code)) }

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

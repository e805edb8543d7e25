//go:build simulated

package host

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
	_ "unsafe" // for go:linkname
)

// The host (simulate/machine/native) implements these functions.

//go:linkname hostNursery runtime.host_nursery
func hostNursery(fd int32) string

//go:linkname hostFiles runtime.host_files
func hostFiles(path *byte) int32

// input is the descriptor of what the host says to the process.
const input = 1 << 16

// Main is the main function of a server. serve runs the server with its arguments, and returns only
// when the server ends. The server can use files in the folder /data.
func Main(serve func(args []string) error) {
	standStill()
	signal.Ignore(syscall.SIGPIPE)
	time.AfterFunc(time.Hour, func() {}).Stop() // the first timer makes the runtime create its poller
	hostNursery(3)
	args, err := begin()
	if err == nil {
		err = serve(args)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// begin reads the first line of input. It gives the process its files, and returns the arguments.
func begin() ([]string, error) {
	var order struct {
		Dir  string
		Args []string
	}
	if err := json.Unmarshal(readLine(), &order); err != nil {
		return nil, fmt.Errorf("read the order: %w", err)
	}
	dir, err := syscall.BytePtrFromString(order.Dir)
	if err != nil {
		return nil, err
	}
	if e := hostFiles(dir); e != 0 {
		return nil, fmt.Errorf("%s: %w", order.Dir, syscall.Errno(e))
	}
	os.Args = order.Args
	return order.Args, nil
}

// readLine reads the first line of input, which comes when the process first waits.
func readLine() (line []byte) {
	b := make([]byte, 4096)
	for !bytes.HasSuffix(line, []byte("\n")) {
		n, err := syscall.Read(input, b)
		switch {
		case err == syscall.EAGAIN:
			time.Sleep(time.Microsecond)
		case err != nil || n == 0:
			return line
		default:
			line = append(line, b[:n]...)
		}
	}
	return line
}

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
	if _, _, e := syscall.RawSyscall(personality, had|noRandom, 0, 0); e == 0 {
		_ = syscall.Exec("/proc/self/exe", os.Args, os.Environ())
	}
}

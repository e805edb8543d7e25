//go:build !linux

package cluster

import (
	"fmt"
	"os"
	"syscall"
)

// identity returns the number of a process. There is no portable way to distinguish it from a later
// process with the same number.
func identity(pid int) (string, error) {
	p, err := os.FindProcess(pid)
	if err != nil {
		return "", fmt.Errorf("process %d: %w", pid, err)
	}
	if pid != os.Getpid() {
		if err := p.Signal(syscall.Signal(0)); err != nil {
			return "", fmt.Errorf("process %d: %w", pid, err)
		}
	}
	return fmt.Sprint(pid), nil
}

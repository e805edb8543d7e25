//go:build !linux

package cluster

import (
	"fmt"
	"os"
	"syscall"
)

// identity names a process by its number; there is no portable way to tell it
// from a later one of the same number.
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

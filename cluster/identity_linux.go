package cluster

import (
	"bytes"
	"fmt"
	"os"
)

// identity tells a process from all others, also from a later one with the same
// number: it is the number and the time of its start in clock ticks. One that has ended and
// that nobody has waited for is none any more.
func identity(pid int) (string, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", fmt.Errorf("process %d: %w", pid, err)
	}
	// The command's name, in brackets, may contain anything.
	_, rest, ok := bytes.Cut(b[bytes.LastIndexByte(b, ')')+1:], []byte(" "))
	fields := bytes.Fields(rest)
	if !ok || len(fields) < 20 {
		return "", fmt.Errorf("process %d: unexpected stat %q", pid, b)
	}
	if state := fields[0][0]; state == 'Z' || state == 'X' {
		return "", fmt.Errorf("process %d has ended", pid)
	}
	return fmt.Sprintf("%d %s", pid, fields[19]), nil // field 22 of the line
}

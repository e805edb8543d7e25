package cluster

import (
	"fmt"

	"locktorture/internal/child"
)

// identity tells a process from all others, also from a later one with the same number: it is
// the number and the time of its start in clock ticks. A zombie has no identity.
func identity(pid int) (string, error) {
	s, err := child.ReadStat(pid)
	if err != nil {
		return "", fmt.Errorf("process %d: %w", pid, err)
	}
	if s.Ended() {
		return "", fmt.Errorf("process %d has ended", pid)
	}
	return fmt.Sprintf("%d %s", pid, s.Start), nil
}

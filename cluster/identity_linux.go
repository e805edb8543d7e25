package cluster

import (
	"fmt"

	"locktorture/internal/child"
)

// identity returns a text that identifies a process, also against a later process with the same
// number: the number and the start time in clock ticks. A zombie has no identity.
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

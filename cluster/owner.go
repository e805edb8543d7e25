package cluster

import (
	"fmt"
	"os"
	"strings"
)

// Owner names this process so that a later one can tell whether it still runs.
func Owner() (string, error) { return identity(os.Getpid()) }

// OwnerDead reports whether a process that Owner has named has ended. It must have run on this
// machine, among the same processes.
func OwnerDead(owner string) (bool, error) {
	var pid int
	if _, err := fmt.Sscan(owner, &pid); err != nil {
		return false, fmt.Errorf("%q names no process", owner)
	}
	now, err := identity(pid)
	return err != nil || now != strings.TrimSpace(owner), nil
}

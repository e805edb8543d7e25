package cluster

import (
	"fmt"
	"os"
	"strings"
)

// Owner returns a text that identifies this process, so that a later process can check whether it
// still runs.
func Owner() (string, error) { return identity(os.Getpid()) }

// OwnerDead reports whether the process identified by Owner has ended. The process must have run on
// this machine in the same process namespace.
func OwnerDead(owner string) (bool, error) {
	var pid int
	if _, err := fmt.Sscan(owner, &pid); err != nil {
		return false, fmt.Errorf("%q names no process", owner)
	}
	now, err := identity(pid)
	return err != nil || now != strings.TrimSpace(owner), nil
}

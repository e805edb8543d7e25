package child

import (
	"os"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"
)

// A family is what a child has started and not lost, itself first.
type family struct {
	group []int // those in its group; the child itself is one of them
	left  []int // those that have left it, if the child roams
}

// deepest bounds a tree that grows while it is looked at.
const deepest = 16

// family looks at the descendants. One that has left the group of a child that
// does not roam is out of reach, with all that it has started.
func (c *Child) family() family {
	f := family{group: []int{c.pid}}
	c.descend(&f, c.pid, 0)
	for _, pid := range c.orphans() {
		f.group = append(f.group, pid)
		c.descend(&f, pid, 0)
	}
	if c.options.Roams && c.mark.env != "" {
		for _, pid := range c.strayProcesses() { // also those whose parent has ended
			if !slices.Contains(f.left, pid) {
				f.left = append(f.left, pid)
			}
		}
	}
	return f
}

// orphans returns the members of the group whose own parent has ended. This process inherits
// them only from a child that is swept (see mark.start); other orphans are out of sight, though
// signals reach them.
func (c *Child) orphans() (pids []int) {
	if !c.options.Sweep {
		return nil
	}
	for _, pid := range children(os.Getpid()) {
		if group, err := unix.Getpgid(pid); err == nil && group == c.pid && pid != c.pid {
			pids = append(pids, pid)
		}
	}
	return pids
}

func (c *Child) descend(f *family, pid, depth int) {
	if depth > deepest {
		return
	}
	for _, child := range children(pid) {
		group, err := unix.Getpgid(child)
		switch {
		case err != nil:
			continue // it has ended
		case group == c.pid:
			f.group = append(f.group, child)
		case c.options.Roams:
			f.left = append(f.left, child)
		default:
			continue
		}
		c.descend(f, child, depth+1)
	}
}

// states returns the state of every thread of a family, one letter each.
func (f family) states() (letters []byte) {
	for _, members := range [][]int{f.group, f.left} {
		for _, pid := range members {
			for _, t := range threads(pid) {
				letters = append(letters, t.State)
			}
		}
	}
	return letters
}

// Signal sends a signal to the group of the child, and to those of its family that have
// left it.
func (c *Child) Signal(s syscall.Signal) error {
	select {
	case <-c.done:
		return c.err
	default:
	}
	if err := syscall.Kill(-c.pid, s); err != nil {
		return c.failed(s.String(), err)
	}
	for _, pid := range c.family().left {
		_ = syscall.Kill(pid, s) // it may have ended by itself
	}
	return nil
}

package driver

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// endGroup waits until the leader has ended, however that came, and kills what
// is left of its group. The leader is not yet reaped then, so that the number of the
// group can belong to nobody else.
func (p *process) endGroup(pid int) {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			break
		}
	}
	_ = syscall.Kill(-pid, syscall.SIGKILL) // an error means that nobody is left
	p.endStrays(pid)
}

// commandOf is the command line of a process, for people.
func commandOf(pid int) string {
	b, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	return strings.TrimSpace(string(bytes.ReplaceAll(b, []byte{0}, []byte{' '})))
}

// groupStates returns the states of all threads of a process and of its
// descendants that are in its group.
func groupStates(leader int) ([]byte, error) {
	states, err := threadStates(leader)
	if err != nil {
		return nil, err
	}
	for _, child := range children(leader) {
		if group, err := unix.Getpgid(child); err != nil || group != leader {
			continue
		}
		more, err := descend(child, leader, 0)
		if err != nil {
			return nil, err
		}
		states = append(states, more...)
	}
	return states, nil
}

// descend is groupStates below the leader. depth bounds a tree that grows
// while it is looked at.
func descend(pid, leader, depth int) ([]byte, error) {
	states, err := threadStates(pid)
	if err != nil || depth > 16 {
		return states, err
	}
	// One that has ended and was not waited for can be neither stopped nor continued.
	states = bytes.ReplaceAll(states, []byte("Z"), nil)
	for _, child := range children(pid) {
		if group, err := unix.Getpgid(child); err != nil || group != leader {
			continue
		}
		more, err := descend(child, leader, depth+1)
		if err != nil {
			return nil, err
		}
		states = append(states, more...)
	}
	return states, nil
}

// children lists the child processes of all threads of a process.
func children(pid int) []int {
	files, _ := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/children")
	var pids []int
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			continue
		}
		for _, word := range strings.Fields(string(b)) {
			if n, err := strconv.Atoi(word); err == nil {
				pids = append(pids, n)
			}
		}
	}
	return pids
}

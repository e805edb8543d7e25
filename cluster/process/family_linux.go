package process

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// goneTime is how long a killed process may take to go.
const goneTime = 5 * time.Second

// strays returns the children of the process that have left its process
// group, as PostgreSQL's do: a signal to the group does not reach them.
func (c *child) strays() []int {
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", c.pid))
	if err != nil {
		return nil
	}
	var pids []int
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			continue // the thread has ended
		}
		for _, field := range strings.Fields(string(b)) {
			pid, err := strconv.Atoi(field)
			if err != nil {
				continue
			}
			if group, err := syscall.Getpgid(pid); err == nil && group != c.pid {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// signalStrays sends a signal to the strays and returns once those that it kills
// have gone. The process itself should stand still, so that it makes no further ones.
func (c *child) signalStrays(s syscall.Signal) error {
	pids := c.strays()
	for _, pid := range pids {
		_ = syscall.Kill(pid, s) // it may have ended by itself
	}
	if s != syscall.SIGKILL {
		return nil
	}
	deadline := time.Now().Add(goneTime)
	for _, pid := range pids {
		for processState(pid) != 0 && processState(pid) != 'Z' {
			if time.Now().After(deadline) {
				return fmt.Errorf("process %d is still there %v after it was killed", pid, goneTime)
			}
			time.Sleep(time.Millisecond)
		}
	}
	return nil
}

// stoppedAll tells whether the process and all its strays are stopped, or,
// if stopped is false, that none is.
func (c *child) stoppedAll(stopped bool) (bool, error) {
	now, err := isStopped(c.pid)
	if err != nil || now != stopped {
		return false, err
	}
	for _, pid := range c.strays() {
		switch processState(pid) {
		case 0, 'Z', 'X': // it has ended; a parent that is stopped does not clear it away
		case 'T':
			if !stopped {
				return false, nil
			}
		default:
			if stopped {
				return false, nil
			}
		}
	}
	return true, nil
}

// processState returns the letter that /proc shows for a process, 0 if there is none.
func processState(pid int) byte {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	_, rest, ok := strings.Cut(string(b), ") ")
	if !ok || rest == "" {
		return 0
	}
	return rest[0]
}

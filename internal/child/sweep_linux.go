package child

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// sweeps bounds the number of looks for what is started while others are ended.
const sweeps = 20

// endStrays kills what a child has started and what has left its group, and waits for it.
func (c *Child) endStrays() {
	if c.mark.env == "" {
		return
	}
	var names []string
	// One look may miss a process that is started during it by one that ends during it.
	for n, none := 0, 0; n < sweeps && none < 2; n++ {
		strays := c.strayProcesses()
		if none++; len(strays) > 0 {
			none = 0
		}
		for _, pid := range strays {
			names = append(names, fmt.Sprintf("%d (%s)", pid, commandOf(pid)))
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		for _, pid := range strays {
			gone(pid)
		}
	}
	if len(names) > 0 {
		c.strays = fmt.Errorf("%s %d had started a process that left its process group, out of reach of a pause or a kill: process %s; torture has ended this process",
			c.options.What, c.pid, strings.Join(names[:min(len(names), maxNamed)], ", "))
	}
}

// maxNamed is how many strays an error names.
const maxNamed = 10

// strayProcesses lists the processes that have the mark and are in another group.
func (c *Child) strayProcesses() (pids []int) {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, d := range dirs {
		name := filepath.Base(d)
		pid, err := strconv.Atoi(name)
		if err != nil || pid == c.pid || len(living([]int{pid})) == 0 || !c.mark.of(name) {
			continue
		}
		if group, err := unix.Getpgid(pid); err == nil && group != c.pid {
			pids = append(pids, pid)
		}
	}
	return pids
}

// gone waits a little until a killed process has ended, and takes it off the table if it is an
// orphan.
func gone(pid int) {
	for deadline := time.Now().Add(time.Second); len(living([]int{pid})) > 0 && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	_, _ = unix.Wait4(pid, nil, unix.WNOHANG, nil) // it is no child where its parent lives
}

package child

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// longestName is how many bytes the kernel keeps of the name of a process.
const longestName = 15

// PausePart stops the processes of the child's family that have a name, as ps -o comm shows it, and
// returns when all threads of them were seen stopped. The others go on. A pause that was not seen is
// taken back.
func (c *Child) PausePart(ctx context.Context, name string) (resume func(), err error) {
	var stopped []int
	resume = func() {
		for _, pid := range stopped {
			_ = syscall.Kill(pid, syscall.SIGCONT) // it may have been killed
		}
	}
	for wait := 50 * time.Microsecond; ; wait = min(2*wait, 5*time.Millisecond) {
		part, names := c.part(name)
		if len(part) == 0 {
			resume()
			return nil, c.failed("stop", fmt.Errorf("none of its processes is called %s; there are: %s", name, strings.Join(names, ", ")))
		}
		var letters []byte
		for _, pid := range part {
			if !slices.Contains(stopped, pid) {
				stopped = append(stopped, pid)
			}
			_ = syscall.Kill(pid, syscall.SIGSTOP) // one that has ended has no threads
			for _, t := range threads(pid) {
				letters = append(letters, t.State)
			}
		}
		if all(letters, Stat.Stopped) {
			return resume, nil
		}
		select {
		case <-c.done:
			return nil, c.err
		case <-ctx.Done():
			resume()
			return nil, c.failed("stop", fmt.Errorf("threads of %s are in the states %q: %w", name, letters, ctx.Err()))
		case <-time.After(wait):
		}
	}
}

// part returns the processes of the family that have a name, and the names of all.
func (c *Child) part(name string) (part []int, names []string) {
	f := c.family()
	for _, pid := range slices.Concat(f.group, f.left) {
		comm, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/comm")
		if err != nil {
			continue // it has ended
		}
		is := string(bytes.TrimSpace(comm))
		if is == name[:min(len(name), longestName)] {
			part = append(part, pid)
		}
		if !slices.Contains(names, is) {
			names = append(names, is)
		}
	}
	return part, names
}

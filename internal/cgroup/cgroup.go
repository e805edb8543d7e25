// Package cgroup reads how often the kernel has throttled the control group of this process:
// kept all of its processes from running, since a CPU limit was used up. It also reads how busy
// the machine is.
package cgroup

import (
	"bufio"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Throttling is what the kernel has counted since the control group was made.
type Throttling struct {
	Periods   int64         // of the limit, mostly of 100 ms, in which a process wanted to run
	Throttled int64         // those of them in which it was used up
	Time      time.Duration // for which it kept processes from running, summed over the processors
}

// Since is what was counted after an earlier reading.
func (t Throttling) Since(earlier Throttling) Throttling {
	return Throttling{t.Periods - earlier.Periods, t.Throttled - earlier.Throttled, t.Time - earlier.Time}
}

// Read reads the counts of the control group of this process. Where there is none, or it has
// no limit, they are zero. A limit of a group around it is not seen.
func Read() Throttling { return read(os.DirFS("/")) }

func read(root fs.FS) Throttling {
	groups, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return Throttling{}
	}
	mounts, err := fs.ReadFile(root, "proc/self/mountinfo")
	if err != nil {
		return Throttling{}
	}
	of := groupsOf(string(groups))
	for line := range strings.Lines(string(mounts)) {
		within, at, controllers := mountOf(line)
		for _, c := range controllers {
			group, ok := of[c]
			if !ok {
				continue
			}
			// A container sees its own group as the root of the mount.
			rel, inside := strings.CutPrefix(group, strings.TrimSuffix(within, "/"))
			if !inside {
				rel = ""
			}
			f, err := root.Open(strings.TrimPrefix(path.Join(at, rel, "cpu.stat"), "/"))
			if err != nil {
				continue
			}
			defer f.Close()
			if t := parse(f); t.Periods > 0 {
				return t // else another hierarchy has the controller
			}
		}
	}
	return Throttling{}
}

// unified is the name that the one hierarchy of version 2 has here.
const unified = ""

// groupsOf are the groups of a process, by controller.
func groupsOf(text string) map[string]string {
	of := map[string]string{}
	for line := range strings.Lines(text) {
		if fields := strings.SplitN(strings.TrimSpace(line), ":", 3); len(fields) == 3 {
			for c := range strings.SplitSeq(fields[1], ",") {
				of[c] = fields[2]
			}
		}
	}
	return of
}

// mountOf reads a line of mountinfo: which part of a hierarchy is mounted, where, and which of
// the controllers that throttle it has.
func mountOf(line string) (within, at string, controllers []string) {
	before, after, _ := strings.Cut(line, " - ")
	of, kind := strings.Fields(before), strings.Fields(after)
	if len(of) < 5 || len(kind) < 3 {
		return "", "", nil
	}
	switch kind[0] {
	case "cgroup2":
		return of[3], of[4], []string{unified}
	case "cgroup":
		if slices.Contains(strings.Split(kind[2], ","), "cpu") {
			return of[3], of[4], []string{"cpu"}
		}
	}
	return "", "", nil
}

// parse reads cpu.stat, of version 1 (ns) or 2 (µs).
func parse(r io.Reader) (t Throttling) {
	for in := bufio.NewScanner(r); in.Scan(); {
		name, value, _ := strings.Cut(in.Text(), " ")
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			continue
		}
		switch name {
		case "nr_periods":
			t.Periods = n
		case "nr_throttled":
			t.Throttled = n
		case "throttled_time":
			t.Time = time.Duration(n)
		case "throttled_usec":
			t.Time = time.Duration(n) * time.Microsecond
		}
	}
	return t
}

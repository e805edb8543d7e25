package cgroup

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
)

// Worked reads what the processors have done so far (proc(5), /proc/stat and /proc/<pid>/stat).
func Worked() Work {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return Work{}
	}
	r, ok := parseAll(text)
	if !ok {
		return Work{}
	}
	processes := map[int]process{}
	files, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is valid
	for _, f := range files {
		line, err := os.ReadFile(f)
		if err != nil {
			continue // it has ended
		}
		if pid, p, ok := parseProcess(line); ok {
			processes[pid] = p
		}
	}
	for pid := range processes {
		if descends(processes, pid, os.Getpid()) {
			r.own += processes[pid].ticks
		}
	}
	return r
}

// A process is what its line says.
type process struct {
	parent int
	ticks  uint64 // of it, and of the children that it has waited for
}

// descends reports whether a process is another one or descends from it.
func descends(processes map[int]process, pid, from int) bool {
	for range len(processes) + 1 { // parents end and are replaced while the lines are read: no walk without end
		if pid == from {
			return true
		}
		p, ok := processes[pid]
		if !ok {
			return false
		}
		pid = p.parent
	}
	return false
}

// parseAll reads the first line of /proc/stat: the ticks of all processors by what they did.
func parseAll(text []byte) (r Work, ok bool) {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	fields := bytes.Fields(line)
	const user, idle, wait, steal = 1, 4, 5, 8 // user time includes that of guests, which follows
	if len(fields) <= steal || string(fields[0]) != "cpu" {
		return Work{}, false
	}
	for i, f := range fields[user : steal+1] {
		ticks, err := strconv.ParseUint(string(f), 10, 64)
		if err != nil {
			return Work{}, false
		}
		r.all += ticks
		if at := i + user; at != idle && at != wait {
			r.busy += ticks
		}
	}
	return r, true
}

// parseProcess reads a line of a process. Its name may hold spaces and parentheses; what follows it
// holds none.
func parseProcess(line []byte) (pid int, p process, ok bool) {
	number, _, _ := bytes.Cut(line, []byte(" "))
	fields := bytes.Fields(line[bytes.LastIndexByte(line, ')')+1:])
	const state, parent, user, childrensSystem = 3, 4, 14, 17 // as proc(5) numbers them
	if len(fields) <= childrensSystem-state {
		return 0, process{}, false
	}
	pid, err := strconv.Atoi(string(number))
	if err != nil {
		return 0, process{}, false
	}
	if p.parent, err = strconv.Atoi(string(fields[parent-state])); err != nil {
		return 0, process{}, false
	}
	for _, f := range fields[user-state : childrensSystem-state+1] {
		ticks, err := strconv.ParseUint(string(f), 10, 64)
		if err != nil {
			return 0, process{}, false
		}
		p.ticks += ticks
	}
	return pid, p, true
}

package child

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// A Stat is what /proc tells of a process or a thread (proc(5), /proc/<pid>/stat).
type Stat struct {
	State byte   // 'R', 'S', 'D', 'T' stopped, 't' traced, 'Z' ended and not waited for, 'X' dead
	Start string // when it started, in clock ticks since the machine did
}

// Ended reports whether it is no process any more, though it may stand in the table.
func (s Stat) Ended() bool { return s.State == 'Z' || s.State == 'X' }

// Stopped reports whether it stands still.
func (s Stat) Stopped() bool { return s.State == 'T' || s.State == 't' }

// ReadStat returns what /proc tells of a process. An error means that there is none.
func ReadStat(pid int) (Stat, error) { return readStat(fmt.Sprintf("/proc/%d/stat", pid)) }

func readStat(file string) (Stat, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return Stat{}, err
	}
	s, ok := parseStat(b)
	if !ok {
		return Stat{}, fmt.Errorf("unexpected line %q in %s", b, file)
	}
	return s, nil
}

// parseStat reads a line of /proc: the number, the name in parentheses, and from the third
// field on what is told. The name may itself hold spaces and parentheses; what follows it
// holds none.
func parseStat(line []byte) (Stat, bool) {
	fields := bytes.Fields(line[bytes.LastIndexByte(line, ')')+1:])
	const state, start = 3, 22 // as proc(5) numbers them
	if len(fields) <= start-3 || len(fields[state-3]) != 1 {
		return Stat{}, false
	}
	return Stat{State: fields[state-3][0], Start: string(fields[start-3])}, true
}

// threads returns the threads of a process that have not ended.
func threads(pid int) (alive []Stat) {
	files, _ := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/stat")
	for _, f := range files {
		if s, err := readStat(f); err == nil && !s.Ended() {
			alive = append(alive, s)
		}
	}
	return alive
}

// children lists the child processes of all threads of a process.
func children(pid int) (pids []int) {
	files, _ := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/children")
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			continue // the thread has ended
		}
		for _, word := range strings.Fields(string(b)) {
			if n, err := strconv.Atoi(word); err == nil {
				pids = append(pids, n)
			}
		}
	}
	return pids
}

// commandOf is the command line of a process, for people.
func commandOf(pid int) string {
	b, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	return strings.TrimSpace(string(bytes.ReplaceAll(b, []byte{0}, []byte{' '})))
}

// await returns when a child process has changed to one of the states of waitid(2), and
// leaves it to be waited for.
func await(pid, states int) {
	for unix.Waitid(unix.P_PID, pid, nil, states|unix.WNOWAIT, nil) == unix.EINTR {
	}
}

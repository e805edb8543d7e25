package driver

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A mark is what all that a driver starts inherits, wherever it goes: a variable of the environment,
// and a limit that means nothing but cannot be cleared as an environment can.
type mark struct {
	env   string
	limit uint64 // of RLIMIT_RTTIME, in µs: decades, so that it limits nothing
}

// markEnv is the name of the variable.
const markEnv = "TORTURE_DRIVER_MARK"

func newMark() mark {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	const decades = 1 << 50
	return mark{markEnv + "=" + rand.Text(), decades + binary.LittleEndian.Uint64(b[:])%decades}
}

// start starts a command with the mark, if there is one. The process stands still at its first instruction until it has its
// limit, so that it can have started nothing before: this thread traces it for that moment. Where tracing is forbidden, or a lower limit is
// in place, the variable must do.
func (m mark) start(cmd *exec.Cmd) (*exec.Cmd, error) {
	if m.env == "" {
		return cmd, cmd.Start()
	}
	// Orphans of the driver become children of this process, which can wait for them.
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) // known since Linux 3.4
	plain := &exec.Cmd{Path: cmd.Path, Args: cmd.Args, Env: cmd.Env, Dir: cmd.Dir, Stdin: cmd.Stdin, Stdout: cmd.Stdout, Stderr: cmd.Stderr, WaitDelay: cmd.WaitDelay}
	attr := *cmd.SysProcAttr
	plain.SysProcAttr, plain.Err = &attr, cmd.Err
	cmd.SysProcAttr.Ptrace = true
	err := cmd.Start()
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSYS) {
		cmd = plain
		err = cmd.Start()
	}
	if err != nil {
		return nil, err
	}
	pid := cmd.Process.Pid
	if cmd != plain {
		for unix.Waitid(unix.P_PID, pid, nil, unix.WSTOPPED|unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
		}
	}
	m.stamp(pid)
	if cmd != plain {
		_ = unix.PtraceDetach(pid) // an error means that it has ended
	}
	return cmd, nil
}

// stamp gives a process its limit.
func (m mark) stamp(pid int) {
	var old unix.Rlimit
	if unix.Prlimit(pid, unix.RLIMIT_RTTIME, nil, &old) == nil {
		_ = unix.Prlimit(pid, unix.RLIMIT_RTTIME, &unix.Rlimit{Cur: m.limit, Max: old.Max}, nil)
	}
}

// of tells whether a process has the mark.
func (m mark) of(pid string) bool {
	if b, err := os.ReadFile("/proc/" + pid + "/environ"); err == nil && bytes.Contains(b, []byte(m.env)) {
		return true
	}
	b, err := os.ReadFile("/proc/" + pid + "/limits")
	return err == nil && bytes.Contains(b, strconv.AppendUint(nil, m.limit, 10))
}

// sweeps bounds the number of looks for what is started while others are ended.
const sweeps = 20

// endStrays kills what a driver has started and what has left its group, and waits for it.
func (p *process) endStrays(leader int) {
	if p.mark.env == "" {
		return
	}
	var names []string
	for range sweeps {
		strays := p.strayProcesses(leader)
		if len(strays) == 0 {
			break
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
		p.strays = fmt.Errorf("driver process %d had started what left its process group, out of reach of a pause or a kill: process %s; ended now",
			leader, strings.Join(names[:min(len(names), maxNamed)], ", "))
	}
}

// maxNamed is how many strays an error names.
const maxNamed = 10

// strayProcesses lists the processes that have the mark and are in another group.
func (p *process) strayProcesses(leader int) (pids []int) {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, d := range dirs {
		name := filepath.Base(d)
		pid, err := strconv.Atoi(name)
		if err != nil || pid == leader || ended(pid) || !p.mark.of(name) {
			continue
		}
		if group, err := unix.Getpgid(pid); err == nil && group != leader {
			pids = append(pids, pid)
		}
	}
	return pids
}

// ended tells whether a process is none any more, though it may stand in the table.
func ended(pid int) bool {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	i := bytes.LastIndexByte(b, ')')
	return err != nil || i < 0 || i+2 >= len(b) || b[i+2] == 'Z' || b[i+2] == 'X'
}

// gone waits a little until a killed process has ended, and takes it off the table if it is an orphan.
func gone(pid int) {
	for deadline := time.Now().Add(time.Second); !ended(pid) && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	_, _ = unix.Wait4(pid, nil, unix.WNOHANG, nil) // it is no child where its parent lives
}

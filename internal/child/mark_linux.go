package child

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// A mark is what all that a child starts inherits, wherever it goes: a variable of the
// environment, and a limit that means nothing but cannot be cleared as an environment can.
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

// start starts a command with the mark, if there is one. The process stands still at its first
// instruction until it has its limit, so that it can have started nothing before: this thread
// traces it for that moment. Where tracing is forbidden, or a lower limit is in place, the
// variable must do, unless it stands still for born, too (see Options.Born; nil: it does not).
func (m mark) start(cmd *exec.Cmd, born func(pid int) error) (*exec.Cmd, error) {
	if m.env == "" && born == nil {
		return cmd, cmd.Start()
	}
	if m.env != "" {
		// Orphans of the child become children of this process, which can wait for them.
		_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) // known since Linux 3.4
	}
	plain := &exec.Cmd{Path: cmd.Path, Args: cmd.Args, Env: cmd.Env, Dir: cmd.Dir, Stdin: cmd.Stdin, Stdout: cmd.Stdout, Stderr: cmd.Stderr, WaitDelay: cmd.WaitDelay}
	attr := *cmd.SysProcAttr
	plain.SysProcAttr, plain.Err = &attr, cmd.Err
	cmd.SysProcAttr.Ptrace = true
	err := cmd.Start()
	if born == nil && (errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSYS)) {
		cmd = plain
		err = cmd.Start()
	}
	if err != nil {
		return nil, err
	}
	pid := cmd.Process.Pid
	if cmd != plain {
		await(pid, unix.WSTOPPED|unix.WEXITED)
	}
	if m.env != "" {
		m.stamp(pid)
	}
	if born != nil {
		err = born(pid)
	}
	if cmd != plain {
		_ = unix.PtraceDetach(pid) // an error means that it has ended
	}
	if err != nil {
		_ = cmd.Process.Kill() // an error means that it has ended
		_ = cmd.Wait()
		return nil, err
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

// of reports whether a process has the mark.
func (m mark) of(pid string) bool {
	if b, err := os.ReadFile("/proc/" + pid + "/environ"); err == nil && bytes.Contains(b, []byte(m.env)) {
		return true
	}
	b, err := os.ReadFile("/proc/" + pid + "/limits")
	return err == nil && bytes.Contains(b, strconv.AppendUint(nil, m.limit, 10))
}

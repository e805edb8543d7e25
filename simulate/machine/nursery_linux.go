package machine

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"locktorture/internal/child"
	"locktorture/simulate/rawio"
)

// A nursery is a native program that has initialized itself. It makes processes, each of which
// is it once more: they start in no time, and all alike.
type nursery struct {
	mu   sync.Mutex
	fd   int // of the socket on which it is asked
	proc *child.Child
}

var errNursery = errors.New("native guest: no process could be made")

// startNursery starts one, with an environment, that may be on some processors.
func startNursery(path string, env []string, where unix.CPUSet) (*nursery, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	theirs := os.NewFile(uintptr(fds[1]), "nursery")
	defer theirs.Close()
	cmd := exec.Command(path)
	cmd.Env = append(slices.Clone(env), "GOMAXPROCS=1")
	cmd.ExtraFiles = []*os.File{theirs}
	proc, err := child.Start(cmd, child.Options{What: "native guest"})
	if err != nil {
		_ = unix.Close(fds[0])
		return nil, err
	}
	_ = unix.SchedSetaffinity(proc.PID(), &where) // else it is slower
	_, _ = rawio.TakeTurns(proc.PID())            // as well
	return &nursery{fd: fds[0], proc: proc}, nil
}

// patience is how long a process is waited for at a time.
const patience = 10 * time.Second

// bear makes a process with a name.
func (n *nursery) bear(q *Process, name string) (*remote, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fds[1])
	says, err := unix.MemfdCreate("stderr", unix.MFD_CLOEXEC)
	if err != nil {
		_ = unix.Close(fds[0])
		return nil, err
	}
	if err := rawio.Bound(fds[0], patience); err != nil {
		_ = unix.Close(fds[0])
		_ = unix.Close(says)
		return nil, err
	}
	r := &remote{fd: fds[0], says: os.NewFile(uintptr(says), "stderr"), in: make([]byte, hostRoom)}
	order := make([]byte, 40) // a seed, and a number for quick draws
	q.World.Random(q, order[:32])
	q.World.Random(q, order[32:])
	if r.pid, err = n.ask(append(order, name...), fds[1], says); err != nil {
		_ = unix.Close(fds[0])
		_ = r.says.Close()
		return nil, err
	}
	return r, nil
}

func (n *nursery) ask(order []byte, files ...int) (pid int, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if err := unix.Sendmsg(n.fd, order, unix.UnixRights(files...), nil, 0); err != nil {
		return 0, errors.Join(errNursery, err, n.proc.Err())
	}
	var b [8]byte
	if size, err := unix.Read(n.fd, b[:]); err != nil || size != len(b) {
		return 0, errors.Join(errNursery, err, n.proc.Err())
	}
	if pid = int(int64(binary.LittleEndian.Uint64(b[:]))); pid <= 0 {
		return 0, fmt.Errorf("%w: %w", errNursery, unix.Errno(-pid))
	}
	return pid, nil
}

// close ends it.
func (n *nursery) close() error {
	_ = unix.Close(n.fd)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return n.proc.Kill(ctx)
}

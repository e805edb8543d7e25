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

// A nursery is an initialized native program that forks on request. Each process is a copy of it,
// so processes start quickly and from the same state.
type nursery struct {
	mu   sync.Mutex
	fd   int // socket for requests
	proc *child.Child
}

var errNursery = errors.New("native guest: no process could be made")

// startNursery starts a nursery with an environment, on some processors.
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
	_ = unix.SchedSetaffinity(proc.PID(), &where) // only for speed
	_, _ = rawio.TakeTurns(proc.PID())            // only for speed
	return &nursery{fd: fds[0], proc: proc}, nil
}

// patience bounds a single wait for a message of a process.
const patience = 10 * time.Second

// bear forks a process and gives it a name.
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
	order := make([]byte, 40) // 32 bytes of seed, and 8 for the runtime's quick draws
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

// close kills the nursery.
func (n *nursery) close() error {
	_ = unix.Close(n.fd)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return n.proc.Kill(ctx)
}

package cluster

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"golang.org/x/sys/unix"

	"locktorture/internal/plainfile"
)

// postgresLock is PostgreSQL's lock file, below the directory of a node.
const postgresLock = "data/pg/postmaster.pid"

// RemoveSharedMemory removes the System V shared memory that a killed PostgreSQL leaves.
// PostgreSQL uses this segment to mark the data directory of a node as in use, and names it in
// the seventh line of its lock file. RemoveSharedMemory keeps a segment that is in use or
// belongs to another server.
func RemoveSharedMemory(dir string) error {
	b, err := plainfile.ReadIn(dir, postgresLock, plainfile.Text)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	lines := strings.Split(string(b), "\n")
	var key, id int
	if len(lines) < 7 { // the server was killed before it had a segment
		return nil
	}
	if _, err := fmt.Sscan(lines[6], &key, &id); err != nil {
		return nil
	}
	// If the server ran in a container, id belongs to another namespace, and may denote a
	// segment of another server here. That segment has another key.
	var s unix.SysvShmDesc
	if _, err := unix.SysvShmCtl(id, unix.IPC_STAT, &s); err != nil || int(s.Perm.Key) != key || s.Nattch > 0 {
		return nil
	}
	if _, err := unix.SysvShmCtl(id, unix.IPC_RMID, nil); err != nil && !errors.Is(err, unix.EINVAL) {
		return fmt.Errorf("remove shared memory %d: %w", id, err)
	}
	return nil
}

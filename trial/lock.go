package trial

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// lock locks a run directory until the file is closed or this process ends. It returns nil on a
// file system without locks, which does not harm a run.
func lock(dir string) *os.File {
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = f.Close()
		return nil
	}
	return f
}

// Lives reports whether the run of a directory is still in progress.
func Lives(dir string) (bool, error) {
	f, err := os.Open(dir)
	if err != nil {
		return false, err
	}
	defer f.Close()
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	switch {
	case errors.Is(err, syscall.EWOULDBLOCK):
		return true, nil
	case err != nil:
		return false, fmt.Errorf("cannot tell whether the run in %s is still in progress: %w", dir, err)
	}
	return false, nil
}

// unlock marks the run as over.
func (d *Dir) unlock() {
	if d.lock != nil {
		_ = d.lock.Close() // nothing was written to the file
		d.lock = nil
	}
}

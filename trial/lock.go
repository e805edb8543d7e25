package trial

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// lock locks a run directory until the file is closed or this process ends, however it ends. A
// file system without such locks gives nil: a run there is as good.
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

// Lives reports whether the run of a directory still goes on. Its error says that nobody can
// tell.
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
		return false, fmt.Errorf("whether the run in %s still goes on cannot be told: %w", dir, err)
	}
	return false, nil
}

// unlock says that the run is over.
func (d *Dir) unlock() {
	if d.lock != nil {
		_ = d.lock.Close() // nothing was written to it
		d.lock = nil
	}
}

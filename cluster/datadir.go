package cluster

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"locktorture/internal/plainfile"
)

const (
	dataPrefix = "torture-" // prefix of every data directory, below os.TempDir
	ownerFile  = "owner"    // file in it that names the owner process
)

// NewDataDir makes an empty data directory for a node. Clean removes it if this process dies before
// it could.
func NewDataDir(node string) (string, error) {
	dir, err := os.MkdirTemp("", dataPrefix+node+"-")
	if err != nil {
		return "", fmt.Errorf("make data directory: %w", err)
	}
	owner, err := Owner()
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, ownerFile), []byte(owner), 0o644)
	}
	if err != nil {
		return "", errors.Join(fmt.Errorf("mark data directory: %w", err), os.RemoveAll(dir))
	}
	return dir, nil
}

// Clean removes the data directories of dead owners, which killed runs left behind, and returns
// their paths. It keeps the directories of living runs and of other users, and every directory that
// NewDataDir did not make.
func Clean() ([]string, error) {
	found, err := filepath.Glob(filepath.Join(os.TempDir(), dataPrefix+"*", ownerFile))
	if err != nil {
		return nil, fmt.Errorf("look for data directories: %w", err)
	}
	var removed []string
	var errs []error
	for _, file := range found {
		if !mine(filepath.Dir(file)) {
			continue
		}
		dead, err := ownerIsDead(file)
		if err != nil {
			errs = append(errs, err)
		}
		if !dead {
			continue
		}
		dir := filepath.Dir(file)
		if err := errors.Join(RemoveSharedMemory(dir), os.RemoveAll(dir)); err != nil {
			errs = append(errs, fmt.Errorf("remove %s: %w", dir, err))
			continue
		}
		removed = append(removed, dir)
	}
	return removed, errors.Join(errs...)
}

// mine reports whether a directory belongs to the user of this process. Other users can make
// directories in the directory for temporary files, with a pipe in them that would block a reader.
func mine(dir string) bool {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() {
		return false
	}
	s, ok := info.Sys().(*syscall.Stat_t)
	return !ok || int(s.Uid) == os.Geteuid()
}

// ownerIsDead reads an owner file and looks up the process that it names.
func ownerIsDead(file string) (bool, error) {
	b, err := plainfile.ReadIn(filepath.Dir(file), filepath.Base(file), plainfile.Text)
	if errors.Is(err, os.ErrNotExist) { // the owner has just removed it
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read owner: %w", err)
	}
	dead, err := OwnerDead(string(b))
	if err != nil {
		return false, fmt.Errorf("%s is not an owner file: %w", file, err)
	}
	return dead, nil
}

package machine

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// A kept is the directory of one guest in the cache, locked: no other program builds or removes the
// guest.
type kept struct {
	dir string
	f   *os.File
}

const (
	// mostKept is the number of guests that stay in the cache. Each takes about a hundred
	// megabytes.
	mostKept = 4
	// lookAgain is the interval at which keep retries a directory that another program has locked.
	lookAgain = 20 * time.Millisecond
)

// keep creates and locks the directory of a guest, and waits while another program has it. It
// removes the least recently used of the other guests.
func keep(ctx context.Context, cache, name string) (*kept, error) {
	for {
		k, err := hold(filepath.Join(cache, name))
		if err == nil {
			now := time.Now()
			_ = os.Chtimes(k.dir, now, now)
			prune(cache, name)
			return k, nil
		}
		if err != unix.EWOULDBLOCK {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(lookAgain):
		}
	}
}

// hold locks a directory. It returns EWOULDBLOCK if another program has it locked.
func hold(dir string) (*kept, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		if vanished(dir, err) {
			return nil, unix.EWOULDBLOCK
		}
		return nil, err
	}
	f, err := os.Open(dir)
	if os.IsNotExist(err) {
		return nil, unix.EWOULDBLOCK
	}
	if err != nil {
		return nil, err
	}
	err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if err == nil && !still(f, dir) {
		err = unix.EWOULDBLOCK
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return &kept{dir, f}, nil
}

// vanished reports whether MkdirAll failed because another program removed the directory at the
// same time: it existed then, and is gone or exists again.
func vanished(dir string, err error) bool {
	if !errors.Is(err, fs.ErrExist) {
		return false
	}
	info, err := os.Lstat(dir)
	return errors.Is(err, fs.ErrNotExist) || err == nil && info.IsDir()
}

// still reports whether an open directory still has its path.
func still(f *os.File, dir string) bool {
	a, err := f.Stat()
	if err != nil {
		return false
	}
	b, err := os.Stat(dir)
	return err == nil && os.SameFile(a, b)
}

// release unlocks the directory.
func (k *kept) release() { _ = k.f.Close() }

// prune removes all guests but the most recently used. It skips guests that are locked or vanish
// meanwhile.
func prune(cache, but string) {
	all, err := os.ReadDir(cache)
	if err != nil {
		return
	}
	age := func(e os.DirEntry) time.Duration {
		info, err := e.Info()
		if err != nil {
			return 0
		}
		return time.Since(info.ModTime())
	}
	slices.SortFunc(all, func(a, b os.DirEntry) int { return int(age(a) - age(b)) })
	for i, e := range all {
		if i < mostKept || e.Name() == but {
			continue
		}
		if k, err := hold(filepath.Join(cache, e.Name())); err == nil {
			_ = os.RemoveAll(k.dir)
			k.release()
		}
	}
}

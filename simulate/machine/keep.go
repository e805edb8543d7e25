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

// A kept is the directory of one guest in the cache. While it is held, no other program builds
// or removes that guest.
type kept struct {
	dir string
	f   *os.File
}

const (
	// mostKept is how many guests stay in the cache: each has a hundred megabytes or so.
	mostKept = 4
	// lookAgain is how often a guest is looked at that another program builds.
	lookAgain = 20 * time.Millisecond
)

// keep makes the directory, or waits until nobody else holds it. Of the other guests in the
// cache it removes those that nobody has asked for since the newest were.
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

// hold takes the directory; EWOULDBLOCK if somebody else has it.
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

// vanished reports whether a directory could not be made because it was there, and is not any
// more, or is again: somebody else removed it in between.
func vanished(dir string, err error) bool {
	if !errors.Is(err, fs.ErrExist) {
		return false
	}
	info, err := os.Lstat(dir)
	return errors.Is(err, fs.ErrNotExist) || err == nil && info.IsDir()
}

// still reports whether a directory is where it was.
func still(f *os.File, dir string) bool {
	a, err := f.Stat()
	if err != nil {
		return false
	}
	b, err := os.Stat(dir)
	return err == nil && os.SameFile(a, b)
}

// release lets others have it.
func (k *kept) release() { _ = k.f.Close() }

// prune removes all but the newest guests. Those that somebody holds, or somebody else
// removes, it leaves.
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

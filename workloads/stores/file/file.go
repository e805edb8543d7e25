// Package file stores the data that a lock protects in real files, one for each lock. A file begins
// with a header record that holds the mark of the lock. The token is checked, and the mark raised,
// while the file is locked with flock, together with the read or write that the token permits.
package file

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"locktorture/workloads"
)

// A Store is a Resource in a directory of its own. Each lock has a file for
// its plain and one for its fenced keys.
type Store struct {
	dir string

	mu      sync.Mutex // flock separates processes, this mutex the goroutines of one process
	applied *os.File
	files   map[string]*records
}

var _ workloads.Resource = (*Store)(nil)

// Open makes the directory, which must not contain files of another store.
func Open(dir string) (*Store, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("open file store: %w", err)
	}
	applied, err := os.OpenFile(filepath.Join(dir, "applied"), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open file store: %w", err)
	}
	return &Store{dir: dir, applied: applied, files: map[string]*records{}}, nil
}

// Do applies one operation, or refuses it with an error that wraps ErrStale or ErrConflict.
func (s *Store) Do(ctx context.Context, op workloads.Access) (value string, n int64, err error) {
	if err := ctx.Err(); err != nil {
		return "", 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.applied == nil {
		return "", 0, workloads.ErrClosed
	}
	f, err := s.file(op)
	if err != nil {
		return "", 0, fmt.Errorf("file store: %w", err)
	}
	for _, locked := range []*os.File{f.file, s.applied} { // always in this order
		fd := int(locked.Fd())
		if err := unix.Flock(fd, unix.LOCK_EX); err != nil {
			return "", 0, fmt.Errorf("file store: flock %s: %w", locked.Name(), err)
		}
		defer unix.Flock(fd, unix.LOCK_UN)
	}
	return s.access(f, op)
}

// access checks the token and the condition, then reads or writes, then counts.
func (s *Store) access(f *records, op workloads.Access) (value string, n int64, err error) {
	if op.Fenced {
		if err := fence(f, op.Lock, op.Token); err != nil {
			return "", 0, err
		}
	}
	if op.Guard != "" {
		held, err := f.get(op.Guard)
		if err != nil {
			return "", 0, fmt.Errorf("file store: %w", err)
		}
		if held != op.Want {
			return "", 0, fmt.Errorf("%s holds %q, not %q: %w", op.Guard, held, op.Want, workloads.ErrConflict)
		}
	}
	if op.Write {
		err = f.put(op.Key, op.Value)
	} else {
		value, err = f.get(op.Key)
	}
	if err == nil {
		n, err = s.count()
	}
	if err != nil {
		return "", 0, fmt.Errorf("file store: %w", err)
	}
	return value, n, nil
}

// fence compares the token with the mark in the header and raises the mark.
func fence(f *records, lock string, token uint64) error {
	mark, err := f.mark()
	if err != nil {
		return fmt.Errorf("file store: %w", err)
	}
	if token < mark {
		return fmt.Errorf("lock %s: token %d is older than %d: %w", lock, token, mark, workloads.ErrStale)
	}
	if token > mark {
		err = f.setMark(token)
	}
	if err != nil {
		return fmt.Errorf("file store: %w", err)
	}
	return nil
}

// count returns the position of the operation in the order of all operations.
func (s *Store) count() (int64, error) {
	n, err := readNumber(s.applied, 0)
	if err != nil {
		return 0, err
	}
	return int64(n) + 1, writeNumber(s.applied, 0, n+1)
}

// file opens the file of the keys of an operation.
func (s *Store) file(op workloads.Access) (*records, error) {
	name := url.PathEscape(op.Lock) + ".plain"
	if op.Fenced {
		name = strings.TrimSuffix(name, "plain") + "fenced"
	}
	if f := s.files[name]; f != nil {
		return f, nil
	}
	f, err := openRecords(filepath.Join(s.dir, name))
	if err == nil {
		s.files[name] = f
	}
	return f, err
}

// Close closes the files and keeps them for inspection.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, f := range s.files {
		errs = append(errs, f.file.Close())
	}
	if s.applied != nil {
		errs = append(errs, s.applied.Close())
	}
	s.applied, s.files = nil, nil
	return errors.Join(errs...)
}

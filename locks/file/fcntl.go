//go:build unix

package file

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"

	"locktorture/locks"
	"locktorture/locks/attempt"
)

// An Fcntl is a POSIX record lock on the whole file: fcntl(2) with F_SETLK. The lock belongs to the
// process. The callers of one client exclude each other by a table in its memory; two clients of
// one process do not exclude each other.
//
// Source: the manual page fcntl(2), "Advisory record locking". Clock: none.
//
// It does not promise any order among waiters. A process that closes any descriptor of the file
// loses all its locks on the file (see NewNoted). A paused holder keeps the lock for as long as it
// is paused.
type Fcntl struct {
	*client
	note bool

	mu sync.Mutex
	// held maps a path to the locked file.
	held map[string]*os.File
}

var (
	_ locks.Locker = (*Fcntl)(nil)
	_ locks.Trier  = (*Fcntl)(nil)
)

// NewFcntl returns a client. A process should have only one.
func NewFcntl(cfg Config) *Fcntl { return &Fcntl{client: newClient(cfg), held: map[string]*os.File{}} }

// NewNoted returns an Fcntl that writes its owner value into the locked file: it opens the file
// once more by its name, and closes it. Programs do this to tell waiters who holds the lock.
//
// It promises nothing, because the close releases the lock.
func NewNoted(cfg Config) *Fcntl {
	f := NewFcntl(cfg)
	f.note = true
	return f
}

// FcntlTraits returns the lock's traits.
func FcntlTraits() locks.Traits { return traits() }

// Acquire asks until the file is locked or ctx is done.
func (f *Fcntl) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	return attempt.Acquire(ctx, f.terms, f.attempt, name)
}

// TryAcquire asks once.
func (f *Fcntl) TryAcquire(ctx context.Context, name string) (locks.Lease, error) {
	return attempt.TryAcquire(ctx, f.terms, f.attempt, name)
}

// attempt returns a lease and the request for it. Errors are certain, because the kernel answers
// each call.
func (f *Fcntl) attempt(name string) (*lease, attempt.Try) {
	l, path := &lease{free: f.free}, f.path(name)
	return l, func(context.Context) (bool, error) {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.held[path] != nil {
			return false, nil // the kernel would grant it to this process again
		}
		file, err := f.open(name)
		if err != nil {
			return false, err
		}
		if err := record(file, syscall.F_WRLCK); err != nil {
			file.Close()
			if errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EACCES) {
				return false, nil
			}
			return false, fmt.Errorf("fcntl %s: %w", path, err)
		}
		if f.note {
			if err := os.WriteFile(path, []byte(f.cfg.Owner+"\n"), 0o644); err != nil {
				return false, errors.Join(fmt.Errorf("note the owner: %w", err), file.Close())
			}
		}
		f.held[path], l.file = file, file
		return true, nil
	}
}

// record requests a record lock on the whole file, or releases it.
func record(file *os.File, kind int16) error {
	return insist(func() error {
		return syscall.FcntlFlock(file.Fd(), syscall.F_SETLK, &syscall.Flock_t{Type: kind, Whence: io.SeekStart})
	})
}

// free closes the descriptor, which releases the lock.
func (f *Fcntl) free(file *os.File) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.held[file.Name()] != file {
		return locks.ErrNotHeld // the client was closed
	}
	delete(f.held, file.Name())
	return file.Close()
}

// Close closes all descriptors, as the end of the process would.
func (f *Fcntl) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	var errs []error
	for _, file := range f.held {
		errs = append(errs, file.Close())
	}
	clear(f.held)
	return errors.Join(errs...)
}

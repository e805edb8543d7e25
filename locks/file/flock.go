//go:build unix

package file

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"

	"locktorture/locks"
	"locktorture/locks/attempt"
)

// A Flock is flock(2), exclusive and without waiting in the kernel: waiters ask again and again.
// The lock belongs to the open file description, so two clients of one process also exclude each
// other.
//
// Source: the manual page flock(2), as flock(1) and most daemons use it. Clock: none.
//
// It does not promise any order among waiters, nor exclusion after somebody has removed the file. A
// paused holder keeps the lock for as long as it is paused. A child process that inherits the
// descriptor also keeps the lock; Go closes its descriptors in children.
type Flock struct {
	*client

	mu   sync.Mutex
	held map[*os.File]bool
}

var (
	_ locks.Locker = (*Flock)(nil)
	_ locks.Trier  = (*Flock)(nil)
)

// NewFlock returns a client.
func NewFlock(cfg Config) *Flock { return &Flock{client: newClient(cfg), held: map[*os.File]bool{}} }

// FlockTraits returns the lock's traits.
func FlockTraits() locks.Traits { return traits() }

// Acquire asks until the file is locked or ctx is done.
func (f *Flock) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	return attempt.Acquire(ctx, f.terms, f.attempt, name)
}

// TryAcquire asks once.
func (f *Flock) TryAcquire(ctx context.Context, name string) (locks.Lease, error) {
	return attempt.TryAcquire(ctx, f.terms, f.attempt, name)
}

// attempt returns a lease and the request for it. Each request opens the file anew, because
// flock(2) converts the lock of an open description instead of refusing it.
func (f *Flock) attempt(name string) (*lease, attempt.Try) {
	l := &lease{free: f.free}
	return l, func(context.Context) (bool, error) {
		file, err := f.open(name)
		if err != nil {
			return false, err
		}
		if err := insist(func() error { return syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }); err != nil {
			file.Close()
			if errors.Is(err, syscall.EWOULDBLOCK) {
				return false, nil
			}
			return false, fmt.Errorf("flock %s: %w", file.Name(), err)
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		f.held[file] = true
		l.file = file
		return true, nil
	}
}

// free closes the descriptor, which releases the lock.
func (f *Flock) free(file *os.File) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.held[file] {
		return locks.ErrNotHeld // the client was closed
	}
	delete(f.held, file)
	return file.Close()
}

// Close closes all descriptors, as the end of the process would.
func (f *Flock) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	var errs []error
	for file := range f.held {
		errs = append(errs, file.Close())
	}
	clear(f.held)
	return errors.Join(errs...)
}

// insist repeats a system call that a signal has interrupted.
func insist(call func() error) error {
	for {
		if err := call(); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

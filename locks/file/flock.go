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

// A Flock is flock(2), exclusive and without waiting in the kernel: waiters ask again and
// again. The lock belongs to the open file description, and so two clients of one process
// exclude each other, too.
//
// Source: the manual page flock(2), as flock(1) and most daemons use it. Clock: none.
//
// It does not promise any order among waiters, nor anything once somebody has removed the
// file. A holder that is stopped keeps it for as long as it is stopped. A child process that
// inherits the descriptor keeps it, too: Go closes its descriptors in children.
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

// Acquire asks until the file is locked.
func (f *Flock) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	return attempt.Acquire(ctx, f.terms, f.attempt, name)
}

// TryAcquire asks once.
func (f *Flock) TryAcquire(ctx context.Context, name string) (locks.Lease, error) {
	return attempt.TryAcquire(ctx, f.terms, f.attempt, name)
}

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

// free closes the descriptor, and the lock goes with it.
func (f *Flock) free(file *os.File) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.held[file] {
		return locks.ErrNotHeld // the client is closed
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

// insist makes a system call again that a signal has interrupted.
func insist(call func() error) error {
	for {
		if err := call(); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

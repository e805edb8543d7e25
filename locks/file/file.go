//go:build unix

// Package file holds locks that the kernel keeps on files in a directory that all clients share.
//
// A lock named N is the file "lock:N" in the directory. The file is created if it is missing and
// never removed: otherwise the next two clients could lock two files of the same name. The kernel
// releases a lock when its process ends. There is no lease, so no clock and no TTL. Network file
// systems may behave differently and are not tested.
package file

import (
	"context"
	mrand "math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"locktorture/locks"
	"locktorture/locks/attempt"
)

// A Config holds the directory and the settings of a client. Only Dir is required.
type Config struct {
	// Dir is the directory of the lock files, which must exist.
	Dir   string
	Owner string // value that Noted writes into the file

	// Retry is the shortest pause between two tries of a waiter; the longest is twice that.
	// Default 2 ms.
	Retry time.Duration
	Clock locks.Clock // clock of the pauses; default: the host's
	// Rand is the source of random pauses. nil means a source that the system seeds.
	Rand *mrand.Rand
}

// A client holds the state that the locks of this package share.
type client struct {
	cfg   Config
	terms *attempt.Terms
}

// newClient fills in the defaults. It opens no file.
func newClient(cfg Config) *client {
	cfg.Retry = attempt.OrElse(cfg.Retry, 2*time.Millisecond)
	cfg.Clock, cfg.Rand = attempt.ClockOr(cfg.Clock), attempt.Rand(cfg.Rand)
	return &client{cfg, &attempt.Terms{
		Timeout: time.Second, Clock: cfg.Clock, Pause: attempt.Pauses(cfg.Retry, cfg.Retry, cfg.Rand),
		Certain: func(error) bool { return true }, // the kernel answers each call
	}}
}

// path returns the file of a lock.
func (c *client) path(name string) string {
	return filepath.Join(c.cfg.Dir, url.PathEscape(locks.Key("lock:", name)))
}

// open opens the file of a lock and creates it if it is missing.
func (c *client) open(name string) (*os.File, error) {
	return os.OpenFile(c.path(name), os.O_RDWR|os.O_CREATE, 0o644)
}

// traits returns the traits of the locks of this package.
func traits() locks.Traits {
	return locks.Traits{
		Wait: "spin", Validity: "process", Model: "mutex", Clock: "none",
		// The kernel releases the locks of a dead process at once; the second is a margin for a
		// busy machine.
		FreeWithin: func(time.Duration) time.Duration { return time.Second },
	}
}

// A lease is a locked file. It ends when its descriptor is closed.
type lease struct {
	file *os.File
	// free releases the lock and closes the file.
	free     func(*os.File) error
	released atomic.Bool
}

// Release releases the lock. The file remains.
func (l *lease) Release(context.Context) error {
	if l.released.Swap(true) {
		return locks.ErrNotHeld
	}
	return l.free(l.file)
}

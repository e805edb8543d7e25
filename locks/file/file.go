//go:build unix

// Package file holds locks that the kernel keeps for files of a directory that all clients
// share.
//
// A lock named N is the file "lock:N" of the directory, which is made where it is missing and
// never removed: whoever removed it would let the next two clients lock two files of one name.
// The kernel ends a lock with its process, and there is no lease: no clock, no TTL. A network
// file system is another matter, and not tested.
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

// A Config says where the files are. Only Dir is needed.
type Config struct {
	Dir   string // it is there already
	Owner string // is written into the file by Noted

	// Retry is the shortest pause between two tries of a waiter; the longest is twice that.
	// Default 2 ms.
	Retry time.Duration
	Clock locks.Clock // of the pauses; default: the host's
	Rand  *mrand.Rand // of the pauses; default: seeded by the system
}

// A client is what the locks of this package have in common.
type client struct {
	cfg   Config
	terms *attempt.Terms
}

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

// open opens the file of a lock.
func (c *client) open(name string) (*os.File, error) {
	return os.OpenFile(c.path(name), os.O_RDWR|os.O_CREATE, 0o644)
}

// traits returns the traits of the locks of this package.
func traits() locks.Traits {
	return locks.Traits{
		Wait: "spin", Validity: "process", Model: "mutex", Clock: "none",
		// The kernel ends the locks of a dead process at once; the rest is for a machine that
		// is busy.
		FreeWithin: func(time.Duration) time.Duration { return time.Second },
	}
}

// A lease is a locked file. It ends with the descriptor.
type lease struct {
	file     *os.File
	free     func(*os.File) error // gives the lock back and closes the file
	released atomic.Bool
}

// Release gives the lock back.
func (l *lease) Release(context.Context) error {
	if l.released.Swap(true) {
		return locks.ErrNotHeld
	}
	return l.free(l.file)
}

package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"locktorture/locks"
	"locktorture/locks/attempt"
	"locktorture/locks/nats"
)

// A hold is a record with this owner. It is valid until the start of the last write that was
// accepted plus the TTL; the server counts from when it accepted it, which is later.
type hold struct {
	attempt.Kept
	lock  *Lock
	name  string
	owner string
	token uint64

	mu       sync.Mutex // of one change at a time, and of what follows
	revision uint64     // of the last message of this hold that is known to be accepted
	known    bool       // that it is the last of all
}

var (
	_ locks.Bounded = (*hold)(nil)
	_ locks.Watched = (*hold)(nil)
	_ locks.Renewer = (*hold)(nil)
	_ locks.Fenced  = (*hold)(nil)
	_ locks.Owned   = (*hold)(nil)
)

// Owner returns the owner in the record.
func (h *hold) Owner() string { return h.owner }

// Token returns the revision of the first record.
func (h *hold) Token() uint64 { return h.token }

// Renew gives the lease a TTL from now.
func (h *hold) Renew(ctx context.Context) error {
	start, ttl := h.lock.cfg.Clock.Now(), h.lock.cfg.TTL
	is := nats.Record{Owner: h.owner, Milliseconds: ttl.Milliseconds()}
	if h.lock.forever {
		is.Milliseconds, ttl = 0, 0
	}
	if err := h.change(ctx, "renew", &is, ttl); err != nil {
		return err
	}
	h.Extend(start.Add(h.lock.cfg.TTL))
	return nil
}

// Release ends the watchdog and leaves a mark, if the record is still this owner's.
func (h *hold) Release(ctx context.Context) error {
	h.Finish()
	return h.change(ctx, "release", nil, 0)
}

// errAgain says that a write met a message that it did not expect: an earlier one of this hold
// may have landed late.
var errAgain = errors.New("the record has changed")

// changes is how often a change is tried. Only writes of this hold that landed late can ask
// for more than one.
const changes = 3

// change writes the next message of the key.
func (h *hold) change(ctx context.Context, what string, record *nats.Record, ttl time.Duration) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	err := errAgain
	for n := 0; n < changes && errors.Is(err, errAgain); n++ {
		err = h.try(ctx, record, ttl)
	}
	if err != nil && !errors.Is(err, locks.ErrNotHeld) {
		return fmt.Errorf("%s: %w", what, err)
	}
	return err
}

// errOld says that a server has told of a time before this hold: it was the leader once.
var errOld = errors.New("the server has not seen the grant")

// try sends a message, after a look where it is not known which is the last. h.mu is held.
func (h *hold) try(ctx context.Context, record *nats.Record, ttl time.Duration) error {
	rctx, cancel := h.lock.terms.Request(ctx)
	defer cancel()
	if !h.known {
		was, err := h.lock.look(rctx, h.name)
		switch {
		case err != nil:
			return err
		case was.revision > 0 && was.revision < h.revision:
			return errOld
		case was.Owner != h.owner:
			return locks.ErrNotHeld
		}
		h.revision, h.known = was.revision, true
	}
	h.known = false // until the answer is there
	revision, err := h.lock.put(rctx, h.name, record, h.revision, ttl)
	switch {
	case notSo(err):
		return errAgain
	case err != nil:
		return err
	case record == nil:
		return nil // nothing of this owner's stands there any more
	}
	h.revision, h.known = revision, true
	return nil
}

package s3

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"locktorture/internal/s3api"
	"locktorture/locks"
	"locktorture/locks/attempt"
)

// A hold is a record with this owner. It is valid until the start of the last put that was
// answered plus the TTL; who waits counts from when it saw that put's outcome, which is later.
type hold struct {
	attempt.Kept
	lock *Lease
	name string

	mu     sync.Mutex // of one change at a time, and of what follows
	record record     // as it was written last
	etag   string     // "": a put was not answered, and it is not known which record stands
}

var (
	_ locks.Bounded = (*hold)(nil)
	_ locks.Watched = (*hold)(nil)
	_ locks.Renewer = (*hold)(nil)
	_ locks.Fenced  = (*hold)(nil)
	_ locks.Owned   = (*hold)(nil)
)

// Owner returns the owner in the record.
func (h *hold) Owner() string { return h.record.Owner }

// Token is counted on with each grant.
func (h *hold) Token() uint64 { return h.record.Token }

// Renew gives the lease a TTL from now.
func (h *hold) Renew(ctx context.Context) error {
	start := h.lock.cfg.Clock.Now()
	err := h.change(ctx, "renew", func(r record) record { return r.next(h.lock.expiry(start)) })
	if err != nil {
		return err
	}
	h.Extend(start.Add(h.lock.cfg.TTL))
	return nil
}

// Release ends the watchdog and frees the record, if it is still this owner's.
func (h *hold) Release(ctx context.Context) error {
	h.Finish()
	return h.change(ctx, "release", record.freed)
}

// errAgain says that a put met a record that it did not expect: one of an earlier put of this
// hold may have landed late.
var errAgain = errors.New("the record has changed")

// changes is how often a change is tried. Only puts of this hold that landed late can ask for
// more than one.
const changes = 3

// change replaces the record by another, which must not have this owner's ETag before.
func (h *hold) change(ctx context.Context, what string, to func(record) record) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	err := errAgain
	for n := 0; n < changes && errors.Is(err, errAgain); n++ {
		err = h.try(ctx, to)
	}
	if err != nil && !errors.Is(err, locks.ErrNotHeld) {
		return fmt.Errorf("%s: %w", what, err)
	}
	return err
}

// try sends a put, after a look where it is not known which record stands. h.mu is held.
func (h *hold) try(ctx context.Context, to func(record) record) error {
	if h.etag == "" {
		r, etag, err := h.lock.get(ctx, h.name)
		if err != nil {
			return err
		}
		if r.Owner != h.record.Owner {
			return locks.ErrNotHeld
		}
		h.record.Write, h.etag = r.Write, etag
	}
	rctx, cancel := h.lock.terms.Request(ctx)
	defer cancel()
	is, was := to(h.record), h.etag
	h.etag = "" // until it is known
	etag, err := h.lock.store.Put(rctx, objectKey(h.name), is.bytes(), s3api.IfMatch(was))
	switch {
	case s3api.NotSo(err):
		return errAgain
	case err != nil:
		return err
	case is.Owner == "":
		return nil // nothing of this owner's stands there any more
	}
	h.record.Write, h.etag = is.Write, etag
	return nil
}

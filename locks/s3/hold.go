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

// A hold is a record with this owner. Its validity ends one TTL after the start of the latest
// answered put. A waiter counts from the time at which it saw the result of that put, which is
// later.
type hold struct {
	attempt.Kept
	lock *Lease
	name string

	mu sync.Mutex // serializes changes, and guards the following fields
	// record is the record as last written.
	record record
	// etag is "" after a put without an answer, when the current record is unknown.
	etag string
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

// Token returns a number that each grant increments.
func (h *hold) Token() uint64 { return h.record.Token }

// Renew extends the lease to one TTL from now.
func (h *hold) Renew(ctx context.Context) error {
	start := h.lock.cfg.Clock.Now()
	err := h.change(ctx, "renew", func(r record) record { return r.next(h.lock.expiry(start)) })
	if err != nil {
		return err
	}
	h.Extend(start.Add(h.lock.cfg.TTL))
	return nil
}

// Release stops the watchdog and frees the record, if it still has this owner.
func (h *hold) Release(ctx context.Context) error {
	h.Finish()
	return h.change(ctx, "release", record.freed)
}

// errAgain reports that a put met an unexpected record: an earlier put of this hold may have
// arrived late.
var errAgain = errors.New("the record has changed")

// changes is the largest number of tries of a change. Only late puts of this hold require more than
// one.
const changes = 3

// change replaces the record by another one, with a new ETag.
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

// try sends a put. If the present record is unknown, it reads the record first. The caller holds
// h.mu.
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
	h.etag = "" // until the answer arrives
	etag, err := h.lock.store.Put(rctx, objectKey(h.name), is.bytes(), s3api.IfMatch(was))
	switch {
	case s3api.NotSo(err):
		return errAgain
	case err != nil:
		return err
	case is.Owner == "":
		return nil // no record of this owner is left
	}
	h.record.Write, h.etag = is.Write, etag
	return nil
}

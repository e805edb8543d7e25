package workloads

import (
	"context"
	"fmt"
	"math/rand/v2"

	"locktorture/internal/wire"
)

// An IdempotentSubmit is a form that impatient users submit repeatedly: every client submits the
// same request, which must be executed once. After a number of answers, the next request starts.
// The keys of a lock:
//
//	<lock>/current      number of the request that everybody submits, from 1
//	<lock>/request/<n>  receipt of request n, written by whoever executes it
//
// The receipt and the effect are one write, so any prefix of a section is harmless.
type IdempotentSubmit struct{ Config }

var _ Workload = IdempotentSubmit{}

// RequestKey returns the key with the receipt of a request.
func RequestKey(lock string, n int) string { return wire.Key(lock, fmt.Sprintf("request/%d", n)) }

// Init starts request 1 of every lock.
func (w IdempotentSubmit) Init(ctx context.Context, s Store) error {
	return w.initAll(ctx, s, "submit", CurrentKey, "1")
}

// Next draws the lock, the times, the receipt, and whether the users are satisfied with the answer.
func (w IdempotentSubmit) Next(r *rand.Rand, process int) Section {
	lock, section := w.section(r, "submit")
	receipt, content := tag(r, process), r.IntN(3) == 0
	section.Run = func(ctx context.Context, s Store) error {
		n, err := readInt(ctx, s, CurrentKey(lock))
		if err != nil {
			return err
		}
		old, err := s.Read(ctx, RequestKey(lock, n))
		switch {
		case err != nil:
			return err
		case old == "":
			return s.Write(ctx, RequestKey(lock, n), receipt)
		case content:
			return writeInt(ctx, s, CurrentKey(lock), n+1)
		}
		return nil // a repetition, answered with the old receipt
	}
	return section
}

package postgres

import (
	"context"
	"errors"

	"locktorture/locks"
	"locktorture/locks/attempt"
)

// An AdvisoryKept is broken on purpose: an Advisory whose timeout ends only the client's
// waiting. The connection returns to the pool, where the next query finds it, and a late
// answer of the server is ignored.
//
// Source: GreptimeDB's issue 7670 (a timeout around a query of tokio-postgres), and any client
// that does not close a connection with an abandoned query. Clock: none.
//
// It does not promise that a lock is free after a refusal: a lock that is granted after the
// client's timeout stays held, by nobody, for as long as the connection lives.
type AdvisoryKept struct{ *Advisory }

var (
	_ locks.Locker = AdvisoryKept{}
	_ locks.Trier  = AdvisoryKept{}
)

// NewAdvisoryKept returns a client; it connects when it is first used.
func NewAdvisoryKept(cfg Config) AdvisoryKept { return AdvisoryKept{NewAdvisory(cfg)} }

// TryAcquire calls pg_try_advisory_lock, which does not wait. It does not cancel an abandoned
// query. Acquire works as in Advisory.
func (k AdvisoryKept) TryAcquire(ctx context.Context, name string) (locks.Lease, error) {
	if err := ctx.Err(); err != nil {
		return nil, attempt.Refused(ctx, err)
	}
	x, err := k.pin(ctx)
	if err != nil {
		return nil, attempt.Refused(ctx, err)
	}
	x.owner, x.depth = attempt.Owner(k.cfg.Owner), 1
	var got bool
	done := make(chan error, 1)
	go func() {
		done <- x.conn.QueryRow(k.alive, "SELECT pg_try_advisory_lock($1)"+named, key(name), x.owner).Scan(&got)
	}()
	select {
	case err = <-done:
	case <-ctx.Done():
		go k.putBack(x, done)
		return nil, attempt.Unanswered(ctx.Err())
	}
	switch {
	case err == nil && got:
		return &advisoryLease{lock: k.Advisory, name: name, as: x.owner, session: x, owner: x.owner, unlock: unlockExclusive}, k.keep(x)
	case err == nil:
		k.rest(x)
		return nil, attempt.Refused(ctx, errors.New("held by another"))
	}
	x.close()
	if answered(err) {
		return nil, attempt.Refused(ctx, err)
	}
	return nil, attempt.Unanswered(err)
}

// putBack keeps a connection whose answer was ignored.
func (k AdvisoryKept) putBack(x *session, done <-chan error) {
	if <-done != nil {
		x.close()
		return
	}
	k.rest(x)
}

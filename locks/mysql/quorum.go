package mysql

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"locktorture/locks"
	"locktorture/locks/attempt"
)

// A Quorum is a row with an expiry on several independent servers. A lease holds rows on more than
// half of them. Waiters spin with random delays.
//
// Source: Redlock's algorithm over the rows of databases. Clock: each database's clock ends its
// row; the client computes the validity as the TTL minus the time of the round and the drift.
//
// It does not promise exclusion if the clocks of the servers jump or a server loses committed data,
// nor that a holder stops when its validity is over. It has no token.
type Quorum struct {
	cfg     Config
	servers []*server
}

var (
	_ locks.Locker = (*Quorum)(nil)
	_ locks.Trier  = (*Quorum)(nil)
)

// NewQuorum returns a client of the servers at addrs; cfg.Addr is not used. It
// connects when it is first used.
func NewQuorum(addrs []string, cfg Config) *Quorum {
	q := &Quorum{cfg: cfg.withDefaults()}
	for _, a := range addrs {
		c := cfg
		c.Addr = a
		q.servers = append(q.servers, newServer(c))
	}
	return q
}

// QuorumTraits returns the lock's traits.
func QuorumTraits() locks.Traits {
	return locks.Traits{
		Wait: "spin", Bounded: true, Validity: "TTL - elapsed - drift",
		LeastTTL: 200 * time.Millisecond, Model: "timed-lease",
		FreeWithin: func(ttl time.Duration) time.Duration { return ttl + 4*retryMax },
		Clock:      "the wall clocks of the database servers",
	}
}

// drift returns the amount by which clocks may drift apart within a TTL: a hundredth, plus the 2 ms
// of Redlock.
func drift(ttl time.Duration) time.Duration { return ttl/100 + 2*time.Millisecond }

// Acquire makes rounds until one is granted or ctx is done.
func (q *Quorum) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	return q.servers[0].terms.Rounds(ctx, func(ctx context.Context) attempt.Round { return q.round(ctx, name) })
}

// TryAcquire makes one round.
func (q *Quorum) TryAcquire(ctx context.Context, name string) (locks.Lease, error) {
	return q.servers[0].terms.Round(ctx, func(ctx context.Context) attempt.Round { return q.round(ctx, name) })
}

// quorumTake inserts a row, or changes its owner if it has expired. MySQL executes assignments
// from left to right: once owner is the new one, the row was free.
const quorumTake = "INSERT INTO %s (name, owner, expires) VALUES (?, ?, UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND)" +
	" ON DUPLICATE KEY UPDATE owner = IF(expires <= UTC_TIMESTAMP(6), VALUES(owner), owner)," +
	" expires = IF(owner = VALUES(owner), VALUES(expires), expires)"

// quorumFree deletes a row that has not expired. An expired row counts as lost, and the owner must
// learn of it.
const quorumFree = "DELETE FROM %s WHERE name = ? AND owner = ? AND expires > UTC_TIMESTAMP(6)"

// round asks all servers once. Unless the round is granted, it frees all its rows again.
func (q *Quorum) round(ctx context.Context, name string) attempt.Round {
	owner := attempt.Owner(q.cfg.Owner)
	start := q.cfg.Clock.Now()
	took := q.ask(ctx, quorumTake, name, owner, q.cfg.TTL.Microseconds())
	until := start.Add(q.cfg.TTL - drift(q.cfg.TTL))
	if took.yes >= q.majority() && q.cfg.Clock.Now().Before(until) {
		return attempt.Round{Lease: &quorumLease{attempt.Grant{Name: name, Value: owner, End: until}, q}}
	}
	r := attempt.Round{Doubt: took.silence}
	r.Refusal = fmt.Errorf("%d of %d servers granted in time, %d needed", took.yes, len(q.servers), q.majority())
	freed := q.ask(ctx, quorumFree, name, owner)
	for i, v := range took.of {
		if v == granted && (freed.of[i] == silent || freed.of[i] == failed) {
			r.Doubt = fmt.Errorf("abandon a refused round: %w", cmp.Or(freed.silence, freed.failure))
		}
	}
	return r
}

func (q *Quorum) majority() int { return len(q.servers)/2 + 1 }

// A vote is a server's answer to a statement.
type vote int

const (
	silent  vote = iota // no answer: the statement may yet be carried out
	granted             // the statement changed a row
	denied              // the statement found nothing to change
	failed              // the statement was not carried out, so the server did not look
)

// A tally counts the votes of all servers.
type tally struct {
	of  []vote
	yes int
	no  int
	// silence is the error of a server that did not answer, or nil if all did.
	silence error
	failure error // of a server that failed; nil: none did
}

// ask sends a statement to all servers, and waits until each has answered or timed out.
func (q *Quorum) ask(ctx context.Context, statement string, args ...any) tally {
	t := tally{of: make([]vote, len(q.servers))}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), min(q.cfg.Timeout, q.cfg.TTL/4))
	defer cancel()
	errs := make([]error, len(q.servers))
	var wg sync.WaitGroup
	for i, s := range q.servers {
		wg.Go(func() {
			r, err := s.exec(ctx, quorumTable(), statement, args...)
			switch {
			case err == nil && r.rows > 0:
				t.of[i] = granted
			case err == nil:
				t.of[i] = denied
			case certain(err):
				t.of[i], errs[i] = failed, err
			default:
				errs[i] = err
			}
		})
	}
	wg.Wait()
	for i, v := range t.of {
		switch v {
		case granted:
			t.yes++
		case denied:
			t.no++
		case failed:
			t.failure = errs[i]
		default:
			t.silence = errs[i]
		}
	}
	return t
}

// Close drops the connections.
func (q *Quorum) Close() error {
	var errs []error
	for _, s := range q.servers {
		errs = append(errs, s.Close())
	}
	return errors.Join(errs...)
}

// A quorumLease holds the rows of its owner. Its validity ends one TTL after the start of the
// round, minus the drift.
type quorumLease struct {
	attempt.Grant
	quorum *Quorum
}

var (
	_ locks.Bounded = (*quorumLease)(nil)
	_ locks.Owned   = (*quorumLease)(nil)
)

// Release deletes the rows on all servers.
func (l *quorumLease) Release(ctx context.Context) error {
	t := l.quorum.ask(ctx, quorumFree, l.Name, l.Value)
	switch {
	case t.yes >= l.quorum.majority():
		return nil
	case len(t.of)-t.no < l.quorum.majority():
		return locks.ErrNotHeld
	}
	return fmt.Errorf("release: freed on %d of %d servers: %w", t.yes, len(t.of), cmp.Or(t.silence, t.failure))
}

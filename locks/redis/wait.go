package redis

import (
	"context"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"locktorture/locks"
	"locktorture/locks/attempt"
)

// waitReplicas is the number of replicas that must acknowledge a grant. Together with the
// primary, one replica is a majority of three.
const waitReplicas = 1

// A Wait is a Set whose grant counts only once a replica has acknowledged it: SET NX PX, then WAIT
// on the same connection, for at most a tenth of the TTL. A lock without the acknowledgement is
// released.
//
// Source: the WAIT command's page, and the advice to put it after the SET. Clock:
// as Set.
//
// It does not promise that the acknowledging replica is the one that is promoted: WAIT makes a loss
// unlikely, not impossible. Otherwise it promises the same as Set.
type Wait struct {
	*Set
	client *goredis.Client
	// acknowledged returns the number of replicas that have the grant, which conn has sent.
	acknowledged func(ctx context.Context, conn *goredis.Conn, patience time.Duration) (int64, error)
}

var (
	_ locks.Locker = (*Wait)(nil)
	_ locks.Trier  = (*Wait)(nil)
)

// NewWait returns a client; it connects when it is first used.
func NewWait(cfg Config) *Wait {
	cfg = cfg.withDefaults()
	client := goredis.NewClient(options(cfg))
	return &Wait{
		Set:    setOf(serverOf(cfg, client)),
		client: client,
		acknowledged: func(ctx context.Context, conn *goredis.Conn, patience time.Duration) (int64, error) {
			return conn.Wait(ctx, waitReplicas, patience).Result()
		},
	}
}

// WaitTraits returns the lock's traits, which also hold for a pooled WAIT.
func WaitTraits() locks.Traits { return SetTraits() }

// Acquire spins until the key is set and acknowledged.
func (w *Wait) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	return attempt.Acquire(ctx, w.terms, w.attempt, name)
}

// TryAcquire sends one SET.
func (w *Wait) TryAcquire(ctx context.Context, name string) (locks.Lease, error) {
	return attempt.TryAcquire(ctx, w.terms, w.attempt, name)
}

// attempt returns a lease and the function that tries once to take it. It needs one connection for
// SET and WAIT, because WAIT counts only writes of its own connection.
func (w *Wait) attempt(name string) (*setLease, attempt.Try) {
	l := &setLease{set: w.Set, Grant: attempt.Grant{Name: name, Value: w.owner()}}
	return l, func(ctx context.Context) (bool, error) {
		conn := w.client.Conn()
		defer conn.Close()
		start := w.cfg.Clock.Now()
		granted, err := setNX(ctx, conn, name, l.Value, w.cfg.TTL)
		if err != nil || !granted {
			return false, err
		}
		n, err := w.acknowledged(ctx, conn, max(w.cfg.TTL/10, 10*time.Millisecond))
		if err != nil {
			return false, attempt.Halfway("wait for replicas", err)
		}
		if n < waitReplicas {
			return false, w.giveBack(ctx, conn, l)
		}
		l.End = start.Add(w.cfg.TTL)
		return true, nil
	}
}

// giveBack releases a grant that too few replicas acknowledged. nil means that nothing is left on
// the server.
func (w *Wait) giveBack(ctx context.Context, conn *goredis.Conn, l *setLease) error {
	if err := w.release.Run(ctx, conn, []string{lockKey(l.Name)}, l.Value).Err(); err != nil {
		return attempt.Halfway("give it back unacknowledged", err)
	}
	return nil
}

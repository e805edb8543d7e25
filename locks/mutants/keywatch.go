package mutants

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"locktorture/locks"
)

// The switches of a Key's watchdog.
const (
	RenewalLost      Switch = "renewal-lost"       // one renewal in 200 is not sent, and the watchdog ends
	RenewalTakesOver Switch = "renewal-takes-over" // a renewal sets the key, whoever owns it
	RenewalDeaf      Switch = "renewal-deaf"       // a refused renewal counts as done
	WatchdogStays    Switch = "watchdog-stays"     // one release in 20 releases nothing and leaves the watchdog running
)

// A watchedLease is a keyLease with a watchdog, which renews it until the release and reports its
// loss.
type watchedLease struct {
	*keyLease
	// end stops the watchdog.
	end  context.CancelFunc
	lost chan struct{}

	// nested is set while its client is inside more than once.
	nested atomic.Bool

	mu sync.Mutex // guards until of the keyLease, and over
	// over is set when the lease is lost or released.
	over bool
}

var (
	_ locks.Bounded = (*watchedLease)(nil)
	_ locks.Fenced  = (*watchedLease)(nil)
	_ locks.Watched = (*watchedLease)(nil)
)

// watch starts the watchdog of a grant.
func (k *Key) watch(l *keyLease) *watchedLease {
	ctx, cancel := context.WithCancel(k.alive)
	w := &watchedLease{keyLease: l, end: cancel, lost: make(chan struct{})}
	go w.keep(ctx)
	return w
}

// Until returns the time at which the latest answered renewal was sent, plus the TTL.
func (w *watchedLease) Until() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.keyLease.Until()
}

// Lost returns a channel that is closed when the lease is known to be over.
func (w *watchedLease) Lost() <-chan struct{} { return w.lost }

// Release ends the watchdog and deletes the key.
func (w *watchedLease) Release(ctx context.Context) error {
	if w.key.cfg.doesIn(WatchdogStays, 20) {
		return nil
	}
	w.mu.Lock()
	w.over = true
	w.mu.Unlock()
	w.end()
	return w.keyLease.Release(ctx)
}

// keep renews every third of the TTL until ctx ends or the lease is lost.
func (w *watchedLease) keep(ctx context.Context) {
	clock, period := w.key.cfg.Clock, w.key.cfg.TTL/3
	for {
		tick, stop := clock.After(max(0, min(period, w.Until().Sub(clock.Now()))))
		select {
		case <-tick:
		case <-ctx.Done():
			stop()
			return
		}
		stop()
		deaf := w.key.cfg.Switch == RenewalDeaf || w.key.cfg.Switch == RenewalTakesOver
		if !clock.Now().Before(w.Until()) && !deaf {
			w.lose()
			return
		}
		switch err := w.renew(ctx); {
		case errors.Is(err, errGoneHome):
			return
		case errors.Is(err, locks.ErrNotHeld):
			w.lose()
			return
		}
	}
}

// errGoneHome ends a watchdog without a report.
var errGoneHome = errors.New("the watchdog has gone home")

// renew gives the key a TTL from now.
func (w *watchedLease) renew(ctx context.Context) error {
	rctx, cancel := request(ctx)
	defer cancel()
	k := w.key
	sent := k.cfg.Clock.Now()
	key, ms := k.lockKey(w.name), k.cfg.TTL.Milliseconds()
	var n int64
	var err error
	switch {
	case w.nested.Load() && k.cfg.does(InnerUnrenewed):
		w.extend(sent)
		return nil
	case k.cfg.doesIn(RenewalLost, 200):
		w.extend(sent)
		return errGoneHome
	case k.cfg.does(RenewalTakesOver):
		n, err = 1, k.rdb.Set(rctx, key, w.owner, k.cfg.TTL).Err()
	default:
		n, err = renewScript.Run(rctx, k.rdb, []string{key}, w.owner, ms).Int64()
	}
	switch {
	case err != nil:
		return fmt.Errorf("renew: %w", err)
	case n == 0 && !k.cfg.does(RenewalDeaf):
		return locks.ErrNotHeld
	}
	w.extend(sent)
	return nil
}

// extend moves the end of the validity after a renewal. It counts from the time at which the
// renewal was sent, so that the end is never later than on the server.
func (w *watchedLease) extend(sent time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.until = sent.Add(w.key.cfg.TTL)
}

// lose reports the loss, unless the lease was released.
func (w *watchedLease) lose() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.over {
		w.over = true
		close(w.lost)
	}
}

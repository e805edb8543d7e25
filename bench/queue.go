package bench

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"locktorture/locks"
)

// A queue is one slice in which several clients want one lock.
type queue struct {
	wg      sync.WaitGroup
	stop    chan struct{} // closed when nobody should ask again
	elapsed time.Duration // of the counted part

	mu       sync.Mutex
	changed  chan struct{} // closed, and made anew, at every grant, first call and error
	asked    int           // clients that have called Acquire
	grants   int
	holders  int
	back     int       // clients that wait for another's grant
	rounds   int       // times that all were let go, because all of them waited
	released time.Time // when Release was last called
	err      error     // the first that ended a client

	counting bool
	waits    []time.Duration
	gaps     []time.Duration
	shares   []int64
	overlaps int64
}

func newQueue(n int) *queue {
	return &queue{stop: make(chan struct{}), changed: make(chan struct{}), shares: make([]int64, n)}
}

// client wants the lock until the slice is over.
func (q *queue) client(ctx context.Context, w *crew, i int, l locks.Locker, name string) {
	q.tell(func() { q.asked++ })
	for !q.over() {
		if err := q.turn(ctx, w, i, l, name); err != nil {
			q.tell(func() {
				if q.err == nil {
					q.err = fmt.Errorf("client %d: %w", i+1, err)
				}
			})
			return
		}
	}
}

// turn is one hand-over to a client and, after its release, the wait for the
// next one to another.
func (q *queue) turn(ctx context.Context, w *crew, i int, l locks.Locker, name string) error {
	actx, cancel := context.WithTimeout(ctx, w.patience)
	defer cancel()
	start := time.Now()
	lease, err := l.Acquire(actx, name)
	if err != nil {
		return fmt.Errorf("acquire: %w", err)
	}
	q.granted(i, start)
	_ = pause(ctx, w.hold) // also who is called off releases
	next := q.release()
	rctx, stop := context.WithTimeout(context.WithoutCancel(ctx), w.patience)
	defer stop()
	if err := lease.Release(rctx); err != nil {
		return fmt.Errorf("release: %w", err)
	}
	q.stepBack(ctx, next)
	return nil
}

// stepBack waits until grants have reached a number, or all clients wait for
// that: those of a lock that grants everything.
func (q *queue) stepBack(ctx context.Context, next int) {
	var round int
	q.tell(func() {
		round = q.rounds
		if q.grants >= next {
			return
		}
		if q.back++; q.back == len(q.shares) {
			q.back = 0
			q.rounds++
		}
	})
	for {
		q.mu.Lock()
		done, changed := q.grants >= next || q.rounds > round, q.changed
		q.mu.Unlock()
		if done {
			return
		}
		select {
		case <-changed:
		case <-q.stop:
			return
		case <-ctx.Done():
			return
		}
	}
}

// granted notes a grant.
func (q *queue) granted(i int, asked time.Time) {
	now := time.Now()
	q.tell(func() {
		if q.holders++; q.counting {
			q.waits = append(q.waits, now.Sub(asked))
			q.shares[i]++
			if q.holders > 1 {
				q.overlaps++
			} else if !q.released.IsZero() {
				q.gaps = append(q.gaps, now.Sub(q.released))
			}
		}
		q.grants++
		q.back = 0 // a grant ends the wait of all
	})
}

// release notes a call of Release and returns the number that grants will have reached
// when another has got the lock.
func (q *queue) release() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.holders--
	q.released = time.Now()
	return q.grants + 1
}

// tell changes the state and wakes all who wait for it.
func (q *queue) tell(change func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	change()
	close(q.changed)
	q.changed = make(chan struct{})
}

// count begins or ends the counted part and returns when that was.
func (q *queue) count(on bool) time.Time {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.counting = on
	return time.Now()
}

// await waits for a state.
func (q *queue) await(ctx context.Context, patience time.Duration, reached func() bool) error {
	t := time.NewTimer(patience)
	defer t.Stop()
	for {
		q.mu.Lock()
		done, err, changed := reached(), q.err, q.changed
		q.mu.Unlock()
		if done || err != nil {
			return nil // goHome tells the error
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		case <-t.C:
			return fmt.Errorf("no hand-over in %v", patience)
		}
	}
}

func (q *queue) over() bool {
	select {
	case <-q.stop:
		return true
	default:
		return false
	}
}

// goHome lets the clients end: each is granted the lock once more and releases
// it. Those that are not within the patience are called off.
func (q *queue) goHome(cancel func(), patience time.Duration) error {
	close(q.stop)
	home := make(chan struct{})
	go func() { q.wg.Wait(); close(home) }()
	t := time.NewTimer(patience)
	defer t.Stop()
	var late error
	select {
	case <-home:
	case <-t.C:
		late = errors.New("waiters did not get the lock after the slice")
		cancel()
		<-home
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	return errors.Join(q.err, late)
}

// into adds the slice to the sum.
func (q *queue) into(sum *queueTally, commands int64, counted bool) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waits) == 0 || q.elapsed <= 0 {
		return nil // broken off
	}
	for _, d := range q.waits {
		record(sum.wait, d)
	}
	var gaps []float64
	for _, d := range q.gaps {
		record(sum.gap, d)
		gaps = append(gaps, float64(d))
	}
	if len(gaps) > 0 {
		sum.medians = append(sum.medians, quantile(gaps, 0.5))
	}
	for i, s := range q.shares {
		sum.shares[i] += s
	}
	n := int64(len(q.waits))
	sum.grants += n
	sum.overlaps += q.overlaps
	sum.rates = append(sum.rates, float64(n)/q.elapsed.Seconds())
	if counted {
		sum.commands += max(commands, 0)
		sum.counted += n
	}
	return nil
}

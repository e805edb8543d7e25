package bench

import (
	"context"
	"time"

	"locktorture/locks"
)

// A queue is one slice in which several clients want one lock, or one permit of a semaphore.
type queue struct {
	shift
	room    int // that may hold it at a time
	holders int
	back    int         // clients that wait for another's grant
	rounds  int         // times that all were let go, because all of them waited
	free    []time.Time // when each place that is not taken became free; zero: it always was

	waits    []time.Duration
	gaps     []time.Duration
	shares   []int64
	overlaps int64
}

func newQueue(clients, room int) *queue {
	return &queue{shift: newShift(), room: room, shares: make([]int64, clients), free: make([]time.Time, room)}
}

// turn is one hand-over to a client and, after its release, the wait for the
// next one to another.
func (q *queue) turn(ctx context.Context, w *crew, i int, l locks.Locker, name string) error {
	next := 0
	err := w.turn(ctx, l, name, func(asked time.Time) { q.granted(i, asked) }, func() { next = q.release() })
	if err == nil {
		q.stepBack(ctx, next)
	}
	return err
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
	q.until(ctx, func() bool { return q.grants >= next || q.rounds > round })
}

// granted notes a grant. It took the place that has been free for longest.
func (q *queue) granted(i int, asked time.Time) {
	now := time.Now()
	q.tell(func() {
		var freed time.Time
		if len(q.free) > 0 {
			freed, q.free = q.free[0], q.free[1:]
		}
		if q.holders++; q.counting {
			q.waits = append(q.waits, now.Sub(asked))
			q.shares[i]++
			if q.holders > q.room {
				q.overlaps++
			} else if !freed.IsZero() {
				q.gaps = append(q.gaps, now.Sub(freed))
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
	if q.holders--; q.holders < q.room {
		q.free = append(q.free, time.Now())
	}
	return q.grants + 1
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

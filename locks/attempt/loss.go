package attempt

import (
	"context"
	"sync"
	"time"

	"locktorture/locks"
)

// A Loss records the end of a lease, which happens once: either the holder releases the lease,
// or the channel of Lost is closed. A loss found after the release is ignored. Use NewLoss to
// make one. Its methods are safe for concurrent use.
type Loss struct {
	mu   sync.Mutex
	over bool
	lost chan struct{}
	// end stops the renewals of the lease. It is nil if there are none.
	end context.CancelFunc
}

// NewLoss returns the Loss of a lease that is not over yet.
func NewLoss() Loss { return Loss{lost: make(chan struct{})} }

// Lost returns a channel that is closed when the lease is known to be lost.
func (l *Loss) Lost() <-chan struct{} { return l.lost }

// Lose closes the channel of Lost, unless the lease is over already.
func (l *Loss) Lose() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.finish() {
		close(l.lost)
	}
}

// Finish records the release. It returns false if the lease was over before, so that a second
// release can be refused.
func (l *Loss) Finish() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.finish()
}

// finish ends the lease, and stops what keeps it alive, once. The caller holds l.mu.
func (l *Loss) finish() bool {
	was := l.over
	l.over = true
	if !was && l.end != nil {
		l.end()
	}
	return !was
}

// Over reports whether the lease was released or lost.
func (l *Loss) Over() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.over
}

// Guard sets the function that stops what keeps the lease alive. It calls the function at once
// if the lease is over already.
func (l *Loss) Guard(end context.CancelFunc) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.end = end
	if l.over {
		end()
	}
}

// A Kept is a Loss with a validity that renewals prolong.
type Kept struct {
	Loss
	// until is the end of the validity after the last renewal. mu guards it.
	until time.Time
}

// NewKept returns a Kept that is valid until the given time.
func NewKept(until time.Time) Kept { return Kept{Loss: NewLoss(), until: until} }

// Until returns the end of the validity.
func (k *Kept) Until() time.Time {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.until
}

// Extend moves the end of the validity to until. An earlier time is ignored, because the
// answers of two renewals may arrive in reverse order.
func (k *Kept) Extend(until time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if until.After(k.until) {
		k.until = until
	}
}

// A Renewable is a lease that a watchdog can keep alive.
type Renewable interface {
	locks.Bounded
	locks.Renewer
	Guard(end context.CancelFunc)
	Lose()
}

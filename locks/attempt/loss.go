package attempt

import (
	"context"
	"sync"
	"time"

	"locktorture/locks"
)

// A Loss is the end of a lease, which comes once: either its holder releases it, or its
// loss is told by closing a channel. A loss that is found after the release is none.
// NewLoss makes one. Its methods may be called from several goroutines.
type Loss struct {
	mu   sync.Mutex
	over bool
	lost chan struct{}
	end  context.CancelFunc // of what keeps the lease alive; nil: nothing does
}

// NewLoss returns a loss that has not come.
func NewLoss() Loss { return Loss{lost: make(chan struct{})} }

// Lost is closed when the lease is known to be over.
func (l *Loss) Lost() <-chan struct{} { return l.lost }

// Lose tells the loss, unless the lease is over.
func (l *Loss) Lose() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.finish() {
		close(l.lost)
	}
}

// Finish notes the release. False says that the lease was over before.
func (l *Loss) Finish() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.finish()
}

// finish ends the lease and what keeps it alive, once. l.mu is held.
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

// Guard notes how what keeps the lease alive is ended: at once if the lease is over.
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
	until time.Time // guarded by mu
}

// NewKept returns one with a validity.
func NewKept(until time.Time) Kept { return Kept{Loss: NewLoss(), until: until} }

// Until is the end of the validity.
func (k *Kept) Until() time.Time {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.until
}

// Extend notes a validity, unless a later one is known: answers may overtake
// each other.
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

package driver

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// The calls of a Client are its requests to the driver and their replies.
type calls struct {
	proc  Process
	grace time.Duration
	pipe  *pipe
	// stopped is true from before the child stops until after it runs again.
	stopped atomic.Bool
	// offset is the offset of the child's clock as last set, in ns.
	offset  atomic.Int64
	pinging atomic.Bool
	grants  grants

	mu   sync.Mutex
	last int64
	// The following fields are guarded by mu.
	pending map[int64]*pending
	// late holds the ids of requests whose callers no longer wait. Their replies are discarded.
	late map[int64]bool
	// dead is the error that ended the driver's answers. It is nil while the driver lives.
	dead error
}

func newCalls(proc Process, grace time.Duration, p *pipe) *calls {
	return &calls{
		proc: proc, grace: grace, pipe: p, pending: map[int64]*pending{}, late: map[int64]bool{},
		grants: grants{leases: map[int64]*Lease{}, numbers: numbers{}},
	}
}

// A pending is a call that waits for its reply.
type pending struct {
	grant bool
	// done is buffered, so that the reader never blocks.
	done chan answer
	// given reports that the caller no longer waits; a later grant is released at once.
	given bool
}

// An answer is a reply together with the lease that it granted.
type answer struct {
	reply reply
	lease *Lease
	// err is set if no reply will arrive.
	err error
}

// error returns the error of the transport if there is one, and otherwise the error in the
// reply.
func (a answer) error() error {
	if a.err != nil {
		return a.err
	}
	return a.reply.err()
}

// make sends a request and waits for its reply.
func (c *calls) make(ctx context.Context, q request) answer {
	p := &pending{grant: q.Op == opAcquire || q.Op == opTry, done: make(chan answer, 1)}
	var err error
	if q.ID, err = c.enter(p); err != nil {
		return answer{err: err}
	}
	if d, ok := ctx.Deadline(); ok {
		q.Timeout = max(int64(time.Until(d)), 1)
	}
	if err := c.pipe.write(q); err != nil {
		if errors.Is(err, syscall.EPIPE) {
			c.ending(p)
		}
		if a, ok := c.forget(q.ID, p); ok {
			return a
		}
		return answer{err: err}
	}
	select {
	case a := <-p.done:
		return a
	case <-ctx.Done():
	}
	return c.cancelled(ctx, q.ID, p)
}

// enter gives a call the next id. It fails if the driver no longer answers.
func (c *calls) enter(p *pending) (id int64, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dead != nil {
		return 0, c.dead
	}
	c.last++
	c.pending[c.last] = p
	return c.last, nil
}

// ending waits, at most for the grace, until a driver that no longer reads has ended. The
// listener then fails all calls with the reason of the end, which says more than the error of
// the broken pipe.
func (c *calls) ending(p *pending) {
	select {
	case a := <-p.done:
		p.done <- a
	case <-time.After(c.grace):
	}
}

// cancelled cancels a call in the child and waits for its final answer.
func (c *calls) cancelled(ctx context.Context, id int64, p *pending) answer {
	if err := c.pipe.write(request{Op: opCancel, Target: id}); err != nil {
		return answer{err: err}
	}
	t := time.NewTimer(c.grace)
	defer t.Stop()
	for {
		select {
		case a := <-p.done:
			return a
		case <-t.C:
		}
		if c.stopped.Load() {
			// A paused child cannot answer, so the grace starts again when it runs.
			t.Reset(c.grace)
			continue
		}
		if a, ok := c.forget(id, p); ok {
			return a
		}
		go c.ping()
		return answer{err: fmt.Errorf("no answer from the driver within %v after: %w", c.grace, context.Cause(ctx))}
	}
}

// forget ends the wait for a call, unless its answer has just arrived. A grant that arrives later
// is released.
func (c *calls) forget(id int64, p *pending) (answer, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case a := <-p.done:
		return a, true
	default:
	}
	p.given = true
	if !p.grant {
		delete(c.pending, id)
		c.late[id] = true
	}
	return answer{}, false
}

// die fails all waiting and all later calls with err.
func (c *calls) die(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dead == nil {
		c.dead = err
	}
	for id, p := range c.pending {
		delete(c.pending, id)
		p.done <- answer{err: err}
	}
}

// err returns the error that ended the driver's answers. It is nil while the driver lives.
func (c *calls) err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.dead
}

package driver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"syscall"
	"time"

	"locktorture/locks"
)

// Acquire takes the lock in the child. When ctx ends, it cancels the call in the child and waits
// for the answer; if that is a grant after all, Acquire returns the lease. If no answer comes
// within the grace of the Command, the outcome is unknown, and a later grant is released at once.
func (c *Client) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	return c.acquire(ctx, request{Op: opAcquire, Lock: name})
}

// TryAcquire asks without waiting, and otherwise works like Acquire. Its error wraps
// errors.ErrUnsupported if the lock has no such call (see Trier).
func (c *Client) TryAcquire(ctx context.Context, name string) (locks.Lease, error) {
	return c.acquire(ctx, request{Op: opTry, Lock: name})
}

// acquire sends a request that may grant a lease. A context that is done already is a certain
// refusal, because nothing was sent.
func (c *Client) acquire(ctx context.Context, q request) (locks.Lease, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("%w: %w", locks.ErrNotAcquired, err) // nothing was sent
	}
	a := c.call(ctx, q)
	if err := a.error(); err != nil {
		return nil, err
	}
	return a.lease, nil
}

// call sends a request and waits for its reply.
func (c *Client) call(ctx context.Context, q request) answer {
	p := &pending{name: q.Lock, grant: q.Op == opAcquire || q.Op == opTry, done: make(chan answer, 1)}
	c.mu.Lock()
	if c.dead != nil {
		c.mu.Unlock()
		return answer{err: c.dead}
	}
	c.last++
	q.ID = c.last
	c.pending[q.ID] = p
	c.mu.Unlock()

	if d, ok := ctx.Deadline(); ok {
		q.Timeout = max(int64(time.Until(d)), 1)
	}
	if err := c.write(q); err != nil {
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

// ending waits, at most for the grace, until a driver that no longer reads has ended. The
// listener then fails all calls with the reason of the end, which says more than the error of
// the broken pipe.
func (c *Client) ending(p *pending) {
	select {
	case a := <-p.done:
		p.done <- a
	case <-time.After(c.grace):
	}
}

// cancelled cancels a call in the child and waits for its final answer.
func (c *Client) cancelled(ctx context.Context, id int64, p *pending) answer {
	if err := c.write(request{Op: opCancel, Target: id}); err != nil {
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
func (c *Client) forget(id int64, p *pending) (answer, bool) {
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

// maxUnasked limits the lines that neither answer a request nor report a loss. A driver that sends
// more is killed because it floods its output.
const maxUnasked = 10_000

// read handles lines until the output ends.
func (c *Client) read(out io.Reader) error {
	sc := bufio.NewScanner(out)
	sc.Buffer(make([]byte, 0, 4096), maxLine)
	n, unasked := 0, 0
	for sc.Scan() {
		n++
		line := bytes.TrimSpace(sc.Bytes())
		used := false
		if len(line) > 0 {
			c.show(false, line)
			var err error
			if used, err = c.understand(line); err != nil {
				return fmt.Errorf("driver wrote line %d %.200q: %w", n, line, err)
			}
		}
		if !used {
			unasked++
		}
		if unasked > maxUnasked {
			return fmt.Errorf("driver floods: %d unrequested lines, the last is %.200q", unasked, line)
		}
	}
	if err := sc.Err(); errors.Is(err, bufio.ErrTooLong) {
		return fmt.Errorf("driver floods: line %d is longer than %d bytes", n+1, maxLine)
	} else if err != nil {
		return fmt.Errorf("read line %d of the driver: %w", n+1, err)
	}
	return io.EOF
}

// understand handles one line. used is false if the line neither answers a waiting call nor
// reports a new loss.
func (c *Client) understand(line []byte) (used bool, err error) {
	var r reply
	if err := json.Unmarshal(line, &r); err != nil {
		return false, fmt.Errorf("%w: %w", ErrNoProtocol, err)
	}
	if err := r.bound(); err != nil {
		return false, err
	}
	if r.ID == 0 {
		return c.event(r)
	}
	return c.take(r)
}

// take passes a reply to the call that waits for it.
func (c *Client) take(r reply) (used bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.pending[r.ID]
	switch {
	case p != nil:
	case c.late[r.ID]:
		delete(c.late, r.ID)
		return false, nil
	case r.ID > 0 && r.ID <= c.last:
		return false, fmt.Errorf("a second reply to request %d; each request has one", r.ID)
	default:
		return false, fmt.Errorf("reply to request %d, which was never made", r.ID)
	}
	a := answer{reply: r}
	if p.grant && r.Error == "" {
		if r.Lease <= 0 {
			return false, errors.New("grant without a lease")
		}
		if !c.granted.add(r.Lease) {
			return false, fmt.Errorf("a second grant of lease %d; each grant has a number of its own", r.Lease)
		}
		// Register the lease before the next line is read, because that line may report its
		// loss.
		a.lease = newLease(c, r)
		c.leases[r.Lease] = a.lease
		if p.given {
			go c.giveBack(a.lease)
		}
	}
	// Delete the call only now: if take refused the reply above, the call must stay pending,
	// so that it is answered when the driver ends.
	delete(c.pending, r.ID)
	p.done <- a
	return true, nil
}

// giveBack releases a grant that arrived after its caller had left.
func (c *Client) giveBack(l *Lease) {
	ctx, cancel := context.WithTimeout(context.Background(), c.grace)
	defer cancel()
	_ = l.Release(ctx) // the caller received an error of unknown outcome
}

// event passes an event to its lease. used reports whether the event was new.
func (c *Client) event(r reply) (used bool, err error) {
	if r.Event != eventLost {
		return false, errors.New("neither a reply (it has no id) nor a known event")
	}
	c.mu.Lock()
	l := c.leases[r.Lease]
	c.mu.Unlock()
	return l != nil && l.lose(r.Mono), nil
}

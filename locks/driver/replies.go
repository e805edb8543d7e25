package driver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// listen reads replies until the child ends or breaks the protocol.
func (c *calls) listen(out io.ReadCloser) {
	defer out.Close()
	err := c.read(out)
	if errors.Is(err, io.EOF) {
		// The end of the file comes slightly before the process can be waited for.
		select {
		case <-c.proc.Done():
			err = c.proc.Err()
		case <-time.After(c.grace):
			err = fmt.Errorf("driver process %d closed its stdout and went on", c.proc.PID())
		}
	}
	// A driver that breaks the protocol must not keep its lock.
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_ = c.proc.Kill(ctx)
	c.die(err)
}

// maxUnasked limits the lines that neither answer a request nor report a loss. A driver that sends
// more is killed because it floods its output.
const maxUnasked = 10_000

// read handles lines until the output ends.
func (c *calls) read(out io.Reader) error {
	sc := bufio.NewScanner(out)
	sc.Buffer(make([]byte, 0, 4096), maxLine)
	n, unasked := 0, 0
	for sc.Scan() {
		n++
		line := bytes.TrimSpace(sc.Bytes())
		used := false
		if len(line) > 0 {
			c.pipe.show(false, line)
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
func (c *calls) understand(line []byte) (used bool, err error) {
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
func (c *calls) take(r reply) (used bool, err error) {
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
		a.lease = newLease(c, r)
		if err := c.grants.add(a.lease); err != nil {
			return false, err
		}
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
func (c *calls) giveBack(l *Lease) {
	ctx, cancel := context.WithTimeout(context.Background(), c.grace)
	defer cancel()
	_ = l.Release(ctx) // the caller received an error of unknown outcome
}

// event passes an event to its lease. used reports whether the event was new.
func (c *calls) event(r reply) (used bool, err error) {
	if r.Event != eventLost {
		return false, errors.New("neither a reply (it has no id) nor a known event")
	}
	l := c.grants.get(r.Lease)
	return l != nil && l.lose(r.Mono), nil
}

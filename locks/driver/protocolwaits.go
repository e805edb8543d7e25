package driver

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// late is a delay after a cancel: a grant that comes even later proves that the driver ignored
// the cancel.
const late = 500 * time.Millisecond

// waiter starts an acquire of the second client for the held lock. It returns the function that
// cancels it and the channel of its answer.
func (p *pair) waiter(ctx context.Context) (cancel context.CancelFunc, done <-chan answer) {
	ctx, cancel = context.WithCancel(ctx)
	ended := make(chan answer, 1)
	go func() {
		ended <- p.b.calls.make(noDeadline{ctx}, p.inVain(0))
	}()
	return cancel, ended
}

// endsRefused cancels the waiter and checks that it ends soon, without a grant.
func (p *pair) endsRefused(cancel context.CancelFunc, done <-chan answer) error {
	start := time.Now()
	cancel()
	a := <-done
	took := time.Since(start)
	switch {
	case a.err != nil:
		return fmt.Errorf("a cancelled acquire: %w", a.err)
	case a.reply.Error == "" && took > late: // the other client's lease may have ended meanwhile
		return fmt.Errorf("acquire answered %v after its cancel, with a grant: the cancel was forgotten", took.Round(10*time.Millisecond))
	case a.reply.Error == "":
		return errors.New("an acquire of a held lock was granted")
	case a.reply.Error != classNotAcquired && a.reply.Error != classUnknown:
		return want("a cancelled acquire", a.reply, classNotAcquired+" or "+classUnknown)
	}
	return nil
}

// cancelAnswered checks that a cancel ends a waiting acquire.
func cancelAnswered(ctx context.Context, p *pair) error {
	return p.whileHeld(ctx, func(int64) error {
		cancel, done := p.waiter(ctx)
		time.Sleep(100 * time.Millisecond) // lets the acquire start to wait; a correct driver does not depend on it
		return p.endsRefused(cancel, done)
	})
}

// answersWhileWaiting checks that a waiting acquire does not block other requests, since a client
// must be able to release meanwhile.
func answersWhileWaiting(ctx context.Context, p *pair) error {
	return p.whileHeld(ctx, func(int64) error {
		cancel, done := p.waiter(ctx)
		defer cancel()
		time.Sleep(50 * time.Millisecond)
		for _, q := range []request{{Op: opAsk, Lease: 1 << 40}, {Op: opClock}, {Op: opRelease, Lease: 1 << 40}} {
			if _, err := p.ask(ctx, p.b, q); err != nil {
				return fmt.Errorf("while an acquire waits: %w", err)
			}
		}
		return p.endsRefused(cancel, done)
	})
}

// ignoresTarget checks that a cancel without a target has no reply, because the reply would answer
// another request.
func ignoresTarget(ctx context.Context, p *pair) error {
	if err := p.a.calls.pipe.write(request{Op: opCancel, Target: 1 << 40}); err != nil {
		return err
	}
	_, err := p.ask(ctx, p.a, request{Op: opAsk, Lease: 1 << 40})
	return err
}

// tryAtOnce checks that a try does not wait, or is refused as unsupported.
func tryAtOnce(ctx context.Context, p *pair) error {
	return p.whileHeld(ctx, func(int64) error {
		start := time.Now()
		r, err := p.ask(ctx, p.b, request{Op: opTry, Lock: p.lock, Timeout: int64(p.ttl)})
		switch {
		case err != nil:
			return err
		case !p.b.trier:
			return want("try of a lock that declares none", r, classUnsupported)
		case time.Since(start) > p.ttl/2:
			return fmt.Errorf("try of a held lock was answered after %v", time.Since(start).Round(time.Millisecond))
		}
		return want("try of a held lock", r, classNotAcquired)
	})
}

// Ends checks that the driver ends when it must: after a close request, or at the end of its input.
// The driver cannot be used afterwards.
func (c *Client) Ends(ctx context.Context, byClose bool) error {
	ctx, cancel := context.WithTimeout(ctx, soon)
	defer cancel()
	c.closing.Store(true)
	if byClose {
		if err := c.calls.make(ctx, request{Op: opClose}).error(); err != nil {
			return errors.Join(fmt.Errorf("close: %w", err), c.destroy())
		}
	}
	c.calls.pipe.close()
	select {
	case <-c.proc.Done():
		return c.proc.Strays()
	case <-ctx.Done():
		return errors.Join(fmt.Errorf("driver process %d still runs %v after %s", c.proc.PID(), soon, ending(byClose)), c.destroy())
	}
}

// ending names the event after which a driver must exit, for the text of a finding.
func ending(byClose bool) string {
	if byClose {
		return "its answer to close"
	}
	return "the end of its input"
}

package driver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"locktorture/locks"
)

// A ProtocolCheck tests one rule of the protocol that every driver must keep, whatever its lock. It
// uses two clients of one service, which hold no lease at its start.
type ProtocolCheck struct {
	Name string
	Rule string // the expectation, for the author of a driver
	run  func(ctx context.Context, p *pair) error
}

// A pair is two clients that compete for one lock.
type pair struct {
	a, b *Client
	lock string
	ttl  time.Duration
}

// soon limits the wait for an answer that the driver can give at once, without a server or
// from a server that runs.
const soon = 5 * time.Second

// ProtocolChecks returns the checks, the most basic rules first.
func ProtocolChecks() []ProtocolCheck {
	return []ProtocolCheck{
		{"unknown-operation", `an operation that the driver does not know is answered with the error "unsupported"`, unknownOperation},
		{"grant", "a grant has a lease of 1 or more, and the token and the remaining validity that the traits declare", grantFields},
		{"release", `a lease is released once; the second release is "not-held"`, releaseOnce},
		{"unknown-lease", `release and ask of a lease that was never granted are "not-held"`, unknownLease},
		{"timeout", `an acquire that runs out of its timeout (ns) is answered then, as "not-acquired" if every request to a server was refused; for a barrier it may also be "unknown"`, runsOut},
		{"cancel", "an acquire that waits is answered soon after its cancel", cancelAnswered},
		{"waiting", "ask, clock and release are answered while an acquire waits", answersWhileWaiting},
		{"unknown-target", "a cancel of a request that is not under way is ignored: it has no reply", ignoresTarget},
		{"try", `if the open reply says "try":true, a try of a held lock is "not-acquired" at once; else try is "unsupported"`, tryAtOnce},
	}
}

// Run checks the rule. No other client may use the lock.
func (c ProtocolCheck) Run(ctx context.Context, a, b *Client, lock string, ttl time.Duration) error {
	return c.run(ctx, &pair{a, b, lock, ttl})
}

// ask sends a request that must be answered soon.
func (p *pair) ask(ctx context.Context, c *Client, q request) (reply, error) {
	ctx, cancel := context.WithTimeout(ctx, soon)
	defer cancel()
	// The deadline is local and not sent to the driver.
	a := c.calls.make(noDeadline{ctx}, q)
	if a.err != nil {
		c.calls.hangs(fmt.Sprintf("no answer to %s within %v", q.Op, soon))
		return a.reply, fmt.Errorf("%s: %w", q.Op, a.err)
	}
	return a.reply, nil
}

// noDeadline hides the deadline of a context, but still ends with it.
type noDeadline struct{ context.Context }

func (noDeadline) Deadline() (time.Time, bool) { return time.Time{}, false }

// want returns an error unless a reply has the given error class; "" stands for success.
func want(what string, r reply, class string) error {
	if r.Error == class {
		return nil
	}
	if class == "" {
		class = "success"
	}
	got := r.Error
	if got == "" {
		got = "success"
	}
	return fmt.Errorf("%s was answered with %s (%q), want %s", what, got, r.Message, class)
}

// unknownOperation checks the rule on which extensions of the protocol rely: a driver may refuse
// new operations, but must answer them.
func unknownOperation(ctx context.Context, p *pair) error {
	r, err := p.ask(ctx, p.a, request{Op: "no-such-operation"})
	if err != nil {
		return err
	}
	return want("an unknown operation", r, classUnsupported)
}

// whole returns a request for the whole lock. timeout is sent to the driver; 0 sends none.
func (p *pair) whole(timeout time.Duration) request {
	q := request{Op: opAcquire, Lock: p.lock, Timeout: int64(timeout)}
	kind, _ := locks.KindOf(p.a.Declared().Kind)
	if w := kind.Whole; w.Permits > 0 {
		q.Mode, q.Permits, q.Capacity = modePermits, w.Permits, w.Capacity
	} else if w.Value != "" {
		q.Mode, q.Value = modeCampaign, w.Value
	} else if w.Parties > 0 {
		q.Mode, q.Parties = modeParty, w.Parties
	}
	return q
}

// inVain returns a request that cannot be granted while the other client holds the whole lock. For
// a barrier it names one party more than will come.
func (p *pair) inVain(timeout time.Duration) request {
	q := p.whole(timeout)
	if q.Mode == modeParty {
		q.Parties++
	}
	return q
}

// grant acquires the free lock.
func (p *pair) grant(ctx context.Context, c *Client) (reply, error) {
	a := c.calls.make(ctx, p.whole(0))
	if a.err != nil {
		return reply{}, fmt.Errorf("acquire of a free lock: %w", a.err)
	}
	return a.reply, want("acquire of a free lock", a.reply, "")
}

// release releases a lease and forgets it, so that the client accepts no event for it.
func (p *pair) release(ctx context.Context, c *Client, lease int64) error {
	r, err := p.ask(ctx, c, request{Op: opRelease, Lease: lease})
	if err != nil {
		return err
	}
	c.calls.grants.forget(lease)
	return want("release of a held lease", r, "")
}

// grantFields checks the fields of a grant and of a following ask against the declared traits.
func grantFields(ctx context.Context, p *pair) error {
	r, err := p.grant(ctx, p.a)
	if err != nil {
		return err
	}
	d := p.a.declared
	q, err := p.ask(ctx, p.a, request{Op: opAsk, Lease: r.Lease})
	if err != nil {
		return err
	}
	if err := errors.Join(want("ask of a held lease", q, ""), d.fits("the grant", r, p.ttl), d.fits("ask", reply{Token: r.Token, Remaining: q.Remaining}, p.ttl)); err != nil {
		return err
	}
	return p.release(ctx, p.a, r.Lease)
}

// fits returns an error unless a reply has the fields that the traits declare.
func (d *Declared) fits(what string, r reply, ttl time.Duration) error {
	switch {
	case d.Token && r.Token == 0:
		return fmt.Errorf("%s has no token although the traits say so", what)
	case d.Validity != "" && r.Remaining == nil:
		return fmt.Errorf("%s does not say what remains of the validity although the traits declare %q", what, d.Validity)
	case d.Validity == "" && r.Remaining != nil:
		return fmt.Errorf("%s says what remains of a validity that the traits do not declare", what)
	case r.Remaining != nil && (*r.Remaining <= 0 || d.LeastTTL > 0 && time.Duration(*r.Remaining) > ttl):
		return fmt.Errorf("%s says that %v remains of a fresh lease of %v; the unit is ns", what, time.Duration(*r.Remaining), ttl)
	}
	return nil
}

// releaseOnce checks that the driver reports a second release, because the checker judges
// released leases by the answers to their releases.
func releaseOnce(ctx context.Context, p *pair) error {
	r, err := p.grant(ctx, p.a)
	if err != nil {
		return err
	}
	if err := p.release(ctx, p.a, r.Lease); err != nil {
		return err
	}
	again, err := p.ask(ctx, p.a, request{Op: opRelease, Lease: r.Lease})
	if err != nil {
		return err
	}
	return want("a second release", again, classNotHeld)
}

// unknownLease checks requests for a lease that was never granted.
func unknownLease(ctx context.Context, p *pair) error {
	for _, op := range []string{opRelease, opAsk} {
		r, err := p.ask(ctx, p.a, request{Op: op, Lease: 1 << 40})
		if err != nil {
			return err
		}
		if err := want(op+" of an unknown lease", r, classNotHeld); err != nil {
			return err
		}
	}
	return nil
}

// meets reports whether the lock is a barrier, which a client cannot hold alone.
func (p *pair) meets() bool { return p.a.Declared().Kind == locks.DoubleBarrier }

// heldTries limits how often a check whose lease may have run out is done again.
const heldTries = 3

// whileHeld runs a check while the other client holds the lock. On a busy machine a check can take
// longer than the TTL. Its lease may have run out then, and a failure shows nothing about the
// driver, so the check is done again.
func (p *pair) whileHeld(ctx context.Context, do func(lease int64) error) error {
	if p.meets() {
		return do(0)
	}
	var first error
	for range heldTries {
		start := time.Now()
		r, err := p.grant(ctx, p.a)
		if err != nil {
			return cmp.Or(first, err)
		}
		if err = do(r.Lease); err == nil {
			err = p.release(ctx, p.a, r.Lease)
		}
		if err == nil || time.Since(start) < p.ttl {
			return err
		}
		first = cmp.Or(first, err)
		_ = p.release(ctx, p.a, r.Lease) // a lock without a TTL is still held
	}
	return first
}

// runsOut checks that the driver keeps the timeout of a request by itself: the harness does not
// cancel at the deadline.
func runsOut(ctx context.Context, p *pair) error {
	return p.whileHeld(ctx, func(int64) error {
		const wait = 300 * time.Millisecond
		start := time.Now()
		r, err := p.ask(ctx, p.b, p.inVain(wait))
		took := time.Since(start)
		switch {
		case err != nil:
			return fmt.Errorf("acquire of a held lock with a timeout of %v: %w", wait, err)
		case took < wait-10*time.Millisecond || took > wait+2*time.Second:
			return fmt.Errorf("acquire with a timeout of %v was answered after %v; the unit is ns", wait, took.Round(time.Millisecond))
		}
		if p.meets() && r.Error == classUnknown {
			return nil // the other parties may have entered together with the cancelled one
		}
		return want("acquire of a held lock", r, classNotAcquired)
	})
}

package hidden

import (
	"context"
	"errors"
	"time"

	"locktorture/locks"
)

// lateVote asks five servers, and counts votes of an attempt that it has given up for the next.
type lateVote struct{ base }

// round is how long an attempt waits for votes.
const round = 50 * time.Millisecond

func (l lateVote) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	v, votes := value(), make(chan vote, 1000)
	for {
		if l.right {
			v, votes = value(), make(chan vote, len(l.servers))
		}
		from := time.Now()
		yes, vague := l.ask(ctx, name, v, votes)
		if until := from.Add(l.ttl * 9 / 10); yes > len(l.servers)/2 && time.Now().Before(until) {
			return &lease{until, func(ctx context.Context) error { return l.drop(ctx, name, v) }}, nil
		}
		_ = l.drop(context.WithoutCancel(ctx), name, v)
		if vague && l.right {
			return nil, context.DeadlineExceeded // a request may arrive yet
		}
		select {
		case <-time.After(rest + time.Duration(v[0]%8)*rest):
		case <-ctx.Done():
			return nil, locks.ErrNotAcquired
		}
	}
}

// A vote is the answer of a server.
type vote struct{ yes, vague bool }

// ask asks all servers, and counts what comes in time.
func (l lateVote) ask(ctx context.Context, name, v string, votes chan vote) (yes int, vague bool) {
	for _, s := range l.servers {
		go func() {
			ok, err := s.SetNX(context.WithoutCancel(ctx), name, v, l.ttl).Result()
			votes <- vote{ok, err != nil}
		}()
	}
	over := time.After(round)
	for range l.servers {
		select {
		case one := <-votes:
			if vague = vague || one.vague; one.yes {
				yes++
			}
		case <-over:
			return yes, true
		}
	}
	return yes, vague
}

// drop deletes what the value has on all servers. That is one round, too. The lease was over
// unless a majority had it.
func (l lateVote) drop(ctx context.Context, name, v string) error {
	over, done := time.After(round), make(chan error, len(l.servers))
	for _, s := range l.servers {
		go func() { done <- l.deleteOn(context.WithoutCancel(ctx), s, name, v) }()
	}
	had := 0
	for range l.servers {
		select {
		case err := <-done:
			switch {
			case err == nil:
				had++
			case !errors.Is(err, locks.ErrNotHeld):
				return err
			}
		case <-over:
			return context.DeadlineExceeded
		}
	}
	if had <= len(l.servers)/2 {
		return locks.ErrNotHeld
	}
	return nil
}

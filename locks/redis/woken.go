package redis

import (
	"context"
	"errors"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"locktorture/locks"
	"locktorture/locks/attempt"
)

// waitWoken tries until a grant, the end of ctx, or an unanswered request, as
// attempt.Terms.Spin does. Each try stores the remaining time of the holder's lease in left.
// Between two tries waitWoken waits for a message, but at most until that lease should be
// over. It tries once more after it has subscribed, so that no message is missed in between.
func (s *server) waitWoken(ctx context.Context, channel string, t attempt.Try, left *time.Duration) error {
	var sub *goredis.PubSub
	var woken <-chan *goredis.Message
	defer func() {
		if sub != nil {
			_ = sub.Close()
		}
	}()
	for {
		if sub == nil {
			if sub = s.subscribe(ctx, channel); sub != nil {
				woken = sub.Channel()
			}
		}
		err := s.terms.Once(ctx, t)
		if err == nil || !errors.Is(err, locks.ErrNotAcquired) {
			return err
		}
		patience := *left
		if patience <= 0 || sub == nil { // no holder was seen, or no message would arrive
			patience = s.terms.Pause()
		}
		c, stop := s.cfg.Clock.After(patience)
		select {
		case <-c:
		case <-woken:
		case <-ctx.Done():
		}
		stop()
		if ctx.Err() != nil {
			return attempt.GaveUp(ctx, err)
		}
	}
}

// orWaitWoken tries once, and calls waitWoken only after a refusal, because a free lock needs no
// subscription.
func (s *server) orWaitWoken(ctx context.Context, channel string, t attempt.Try, left *time.Duration) error {
	err := s.terms.Once(ctx, t)
	if errors.Is(err, locks.ErrNotAcquired) && ctx.Err() == nil {
		return s.waitWoken(ctx, channel, t, left)
	}
	return err
}

// subscribe returns a subscription that the server has confirmed, or nil.
func (s *server) subscribe(ctx context.Context, channel string) *goredis.PubSub {
	rctx, cancel := s.terms.Request(ctx)
	defer cancel()
	sub := s.rdb.Subscribe(rctx, channel)
	if _, err := sub.Receive(rctx); err != nil {
		_ = sub.Close()
		return nil
	}
	return sub
}

package redis

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"locktorture/locks"
)

// refusals are the error replies of a server that did nothing at all.
var refusals = [...]string{"READONLY", "LOADING", "MASTERDOWN", "NOREPLICAS", "OOM", "MISCONF", "BUSY ", "CLUSTERDOWN", "MOVED", "NOAUTH"}

// certain tells whether an error proves that the request changed nothing.
func certain(err error) bool {
	var notSent *notSentError
	if errors.As(err, &notSent) || errors.Is(err, goredis.ErrPoolTimeout) {
		return true
	}
	var reply goredis.Error
	if !errors.As(err, &reply) {
		return false
	}
	for _, p := range refusals {
		if strings.HasPrefix(reply.Error(), p) {
			return true
		}
	}
	return false
}

// request makes the context of one request: it has a time-out of its own, and
// outlives the caller's context by the grace.
func (s *server) request(ctx context.Context) (context.Context, context.CancelFunc) {
	end := time.Now().Add(s.cfg.Timeout)
	if d, ok := ctx.Deadline(); ok && d.Add(s.cfg.Grace).Before(end) {
		end = d.Add(s.cfg.Grace)
	}
	return context.WithDeadline(context.WithoutCancel(ctx), end)
}

// A try is one request for a lock: true is a grant, false a refusal.
type try func(ctx context.Context) (bool, error)

// once tries a single time.
func (s *server) once(ctx context.Context, t try) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%w: %w", locks.ErrNotAcquired, err)
	}
	rctx, cancel := s.request(ctx)
	defer cancel()
	ok, err := t(rctx)
	switch {
	case err != nil && certain(err):
		return fmt.Errorf("%w: %w", locks.ErrNotAcquired, err)
	case err != nil:
		return fmt.Errorf("acquire was not answered: %w", err)
	case !ok:
		return fmt.Errorf("%w: held by another", locks.ErrNotAcquired)
	}
	return nil
}

// spin tries until a grant, the end of ctx, or an unanswered request: that one
// may still be carried out, so nothing after it could make the call certain.
func (s *server) spin(ctx context.Context, t try) error {
	for {
		err := s.once(ctx, t)
		if err == nil || !errors.Is(err, locks.ErrNotAcquired) {
			return err
		}
		c, stop := s.cfg.Clock.After(s.pause())
		select {
		case <-c:
			stop()
		case <-ctx.Done():
			stop()
			return fmt.Errorf("%w (%w)", err, ctx.Err())
		}
		if ctx.Err() != nil {
			return fmt.Errorf("%w (%w)", err, ctx.Err())
		}
	}
}

// change runs a script that answers 1 if the caller's value was there and 0 if not.
func (s *server) change(ctx context.Context, what string, script *goredis.Script, name string, args ...any) error {
	rctx, cancel := s.request(ctx)
	defer cancel()
	n, err := script.Run(rctx, s.rdb, []string{lockKey(name)}, args...).Int64()
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if n == 0 {
		return locks.ErrNotHeld
	}
	return nil
}

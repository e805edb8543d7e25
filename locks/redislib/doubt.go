package redislib

import (
	"context"
	"errors"
	"sync/atomic"

	goredis "github.com/redis/go-redis/v9"

	"locktorture/locks/redisconn"
)

// A Doubt records the unanswered requests of a call, because a library that stops waiting does not
// report them. It travels in the context of the call, and a hook of the client adds every request
// without an answer, and every request that a server did not carry out.
type Doubt struct{ unanswered, undone atomic.Int64 }

// A doubtKey is the key of a Doubt in a context.
type doubtKey struct{}

// InDoubt returns a context whose requests are recorded in the Doubt.
func InDoubt(ctx context.Context) (context.Context, *Doubt) {
	d := new(Doubt)
	return context.WithValue(ctx, doubtKey{}, d), d
}

// Any reports whether a request was left unanswered.
func (d *Doubt) Any() bool { return d.unanswered.Load() > 0 }

// Unsure reports whether a server said nothing about the lock: a request to it was left unanswered,
// or not sent, or refused, as by a server that is still loading its data.
func (d *Doubt) Unsure() bool { return d.Any() || d.undone.Load() > 0 }

// A doubtHook records unanswered requests. It does not change them.
type doubtHook struct{}

var _ goredis.Hook = doubtHook{}

// DialHook does nothing, because the errors of connections report whether anything was sent.
func (doubtHook) DialHook(next goredis.DialHook) goredis.DialHook { return next }

// ProcessHook records the outcome of each request.
func (doubtHook) ProcessHook(next goredis.ProcessHook) goredis.ProcessHook {
	return func(ctx context.Context, cmd goredis.Cmder) error {
		err := next(ctx, cmd)
		if d, ok := ctx.Value(doubtKey{}).(*Doubt); ok {
			switch {
			case !answered(err):
				d.unanswered.Add(1)
			case err != nil && err != goredis.Nil && !goredis.HasErrorPrefix(err, "NOSCRIPT"): // the script follows
				d.undone.Add(1)
			}
		}
		return err
	}
}

// ProcessPipelineHook does nothing, because no library here sends pipelines.
func (doubtHook) ProcessPipelineHook(next goredis.ProcessPipelineHook) goredis.ProcessPipelineHook {
	return next
}

// answered reports whether a request was answered or never sent.
func answered(err error) bool {
	// The client ignores the context once it has a connection: a bare context error means that
	// there was none yet.
	if err == nil || err == context.Canceled || err == context.DeadlineExceeded {
		return true
	}
	var reply goredis.Error
	return errors.As(err, &reply) || redisconn.Unsent(err)
}

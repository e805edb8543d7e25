package redislib

import (
	"context"
	"errors"
	"sync/atomic"

	goredis "github.com/redis/go-redis/v9"

	"locktorture/locks/redisconn"
)

// A library that gives up waiting does not say whether one of its requests is
// still unanswered. A Doubt looks on: it travels in the context of a call, and a
// hook of the client notes in it every request that was not answered.
type Doubt struct{ unanswered atomic.Int64 }

type doubtKey struct{}

// InDoubt returns a context whose requests are looked on.
func InDoubt(ctx context.Context) (context.Context, *Doubt) {
	d := new(Doubt)
	return context.WithValue(ctx, doubtKey{}, d), d
}

// Any reports whether a request was left unanswered.
func (d *Doubt) Any() bool { return d.unanswered.Load() > 0 }

// A doubtHook notes unanswered requests. It changes nothing.
type doubtHook struct{}

var _ goredis.Hook = doubtHook{}

// DialHook does nothing: the connections themselves tell whether anything was sent.
func (doubtHook) DialHook(next goredis.DialHook) goredis.DialHook { return next }

// ProcessHook looks at the outcome of each request.
func (doubtHook) ProcessHook(next goredis.ProcessHook) goredis.ProcessHook {
	return func(ctx context.Context, cmd goredis.Cmder) error {
		err := next(ctx, cmd)
		if d, ok := ctx.Value(doubtKey{}).(*Doubt); ok && !answered(err) {
			d.unanswered.Add(1)
		}
		return err
	}
}

// ProcessPipelineHook does nothing: no library here sends pipelines.
func (doubtHook) ProcessPipelineHook(next goredis.ProcessPipelineHook) goredis.ProcessPipelineHook {
	return next
}

// answered reports whether a request was answered, or never sent.
func answered(err error) bool {
	// The client does not look at the context once it has a connection: its bare
	// error says that there was none yet.
	if err == nil || err == context.Canceled || err == context.DeadlineExceeded {
		return true
	}
	var reply goredis.Error
	return errors.As(err, &reply) || redisconn.Unsent(err)
}

package thirdparty

import (
	"context"
	"errors"
	"net"
	"sync/atomic"

	goredis "github.com/redis/go-redis/v9"
)

// A library that gives up waiting does not say whether one of its requests is
// still unanswered. A doubt looks on: it travels in the context of a call, and a
// hook of the client notes in it every request that was not answered.
type doubt struct{ unanswered atomic.Int64 }

type doubtKey struct{}

// inDoubt returns a context whose requests are looked on.
func inDoubt(ctx context.Context) (context.Context, *doubt) {
	d := new(doubt)
	return context.WithValue(ctx, doubtKey{}, d), d
}

// any tells whether a request was left unanswered.
func (d *doubt) any() bool { return d.unanswered.Load() > 0 }

// A doubtHook notes unanswered requests. It changes nothing.
type doubtHook struct{}

var _ goredis.Hook = doubtHook{}

// DialHook marks the errors of connections that were never made.
func (doubtHook) DialHook(next goredis.DialHook) goredis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := next(ctx, network, addr)
		if err != nil {
			return nil, &notDialedError{err}
		}
		return c, nil
	}
}

// ProcessHook looks at the outcome of each request.
func (doubtHook) ProcessHook(next goredis.ProcessHook) goredis.ProcessHook {
	return func(ctx context.Context, cmd goredis.Cmder) error {
		err := next(ctx, cmd)
		if d, ok := ctx.Value(doubtKey{}).(*doubt); ok && !answered(err) {
			d.unanswered.Add(1)
		}
		return err
	}
}

// ProcessPipelineHook does nothing: no library here sends pipelines.
func (doubtHook) ProcessPipelineHook(next goredis.ProcessPipelineHook) goredis.ProcessPipelineHook {
	return next
}

// answered tells whether a request was answered, or never sent.
func answered(err error) bool {
	// The client does not look at the context once it has a connection: its bare
	// error says that there was none yet.
	if err == nil || err == context.Canceled || err == context.DeadlineExceeded {
		return true
	}
	var reply goredis.Error
	var notDialed *notDialedError
	return errors.As(err, &reply) || errors.As(err, &notDialed) || errors.Is(err, goredis.ErrPoolTimeout)
}

// A notDialedError says that there was no connection.
type notDialedError struct{ err error }

func (e *notDialedError) Error() string { return "not connected: " + e.err.Error() }

// Timeout and Temporary make it a net.Error, as what it stands for may be.
func (e *notDialedError) Timeout() bool {
	var n net.Error
	return errors.As(e.err, &n) && n.Timeout()
}

func (e *notDialedError) Temporary() bool { return e.Timeout() }

package mutants

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	mrand "math/rand/v2"
	"time"

	goredis "github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"locktorture/locks"
)

// answerTime limits the wait for the answer of a Redis server.
const answerTime = time.Second

// retryLeast is the shortest pause between two tries of a waiter; the longest is twice that.
const retryLeast = 5 * time.Millisecond

// dial makes the connections to one Redis server. Nothing in them retries, so that a request is
// sent once or not at all.
func dial(addr string, a *locks.Access) *goredis.Client {
	user, password := a.Login()
	return goredis.NewClient(&goredis.Options{
		Addr: addr, Username: user, Password: password, Dialer: a.Dial,
		Protocol: 2, DisableIdentity: true, MaxRetries: -1, DialerRetries: 1, PipelinePoolSize: -1,
		DialTimeout: answerTime, ContextTimeoutEnabled: true, ReadTimeout: time.Minute, WriteTimeout: time.Minute,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	})
}

// request returns the context of one request. It does not end with the caller's, so that the answer
// arrives in any case.
func request(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), answerTime)
}

// errTaken is the refusal of one try.
var errTaken = fmt.Errorf("%w: held by another", locks.ErrNotAcquired)

// spin tries until an answer is not a refusal, or ctx ends.
func spin[L any](ctx context.Context, c locks.Clock, try func() (L, error)) (L, error) {
	for {
		l, err := try()
		if err == nil || !errors.Is(err, errTaken) {
			return l, err
		}
		wait, stop := c.After(retryLeast + mrand.N(retryLeast))
		select {
		case <-wait:
		case <-ctx.Done():
		}
		stop()
		if ctx.Err() != nil {
			return l, fmt.Errorf("%w (%w)", err, ctx.Err())
		}
	}
}

// unique returns a text that was never used before.
func unique() string { return rand.Text() }

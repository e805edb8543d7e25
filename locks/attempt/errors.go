package attempt

import (
	"context"
	"errors"
	"fmt"

	"locktorture/locks"
)

// A NotSentError reports that no request reached the service, because there was no connection.
type NotSentError struct{ Err error }

func (e *NotSentError) Error() string { return "not sent: " + e.Err.Error() }

// Unwrap returns the reason.
func (e *NotSentError) Unwrap() error { return e.Err }

// NotSent marks the error: any error with this method proves that nothing was sent.
func (e *NotSentError) NotSent() {}

// NotSent reports whether an error proves that no request was sent: err is, or wraps, a
// NotSentError or another error with a NotSent method.
func NotSent(err error) bool {
	var mark interface{ NotSent() }
	return errors.As(err, &mark)
}

// Taken returns the certain error of a request that found the lock held by another client.
func Taken() error { return fmt.Errorf("%w: held by another", locks.ErrNotAcquired) }

// Refused returns the certain error of a call that has taken nothing, with the reason. If ctx
// is done, the error wraps its cause too.
func Refused(ctx context.Context, why error) error {
	if ctx.Err() != nil && !errors.Is(why, ctx.Err()) {
		return fmt.Errorf("%w: %w (%w)", locks.ErrNotAcquired, why, ctx.Err())
	}
	return fmt.Errorf("%w: %w", locks.ErrNotAcquired, why)
}

// Unanswered returns the uncertain error of a call whose request may still be carried out. It
// never wraps locks.ErrNotAcquired, even if its cause does.
func Unanswered(err error) error {
	const what = "acquire was not answered"
	if errors.Is(err, locks.ErrNotAcquired) {
		return fmt.Errorf("%s: %v", what, err)
	}
	return fmt.Errorf("%s: %w", what, err)
}

// Halfway returns the error of a call that had already taken the lock, or a part of it, when a
// later request failed. Even if the later error is certain by itself, the outcome of the call
// is not, so the result wraps nothing.
func Halfway(what string, err error) error {
	return fmt.Errorf("%s, with the lock half taken: %v", what, err)
}

// Outcome returns the error of a call that made a single request: nil for a grant. certain
// reports whether an error proves that the request changed nothing.
func Outcome(granted bool, err error, certain func(error) bool) error {
	switch {
	case err != nil && certain(err):
		return fmt.Errorf("%w: %w", locks.ErrNotAcquired, err)
	case err != nil:
		return Unanswered(err)
	case !granted:
		return Taken()
	}
	return nil
}

package attempt

import (
	"context"
	"errors"
	"fmt"

	"locktorture/locks"
)

// A NotSentError says that the service was asked nothing: there was no connection.
type NotSentError struct{ Err error }

func (e *NotSentError) Error() string { return "not sent: " + e.Err.Error() }

// Unwrap is why.
func (e *NotSentError) Unwrap() error { return e.Err }

// NotSent marks it.
func (e *NotSentError) NotSent() {}

// NotSent reports whether an error proves that no request was sent: it is, or wraps, a
// NotSentError or another error with a method NotSent.
func NotSent(err error) bool {
	var mark interface{ NotSent() }
	return errors.As(err, &mark)
}

// Taken is the certain error of a request that found the lock held by another.
func Taken() error { return fmt.Errorf("%w: held by another", locks.ErrNotAcquired) }

// Refused is the certain error of a call that has taken nothing, and why. If
// the caller has given up it says that, too.
func Refused(ctx context.Context, why error) error {
	if ctx.Err() != nil && !errors.Is(why, ctx.Err()) {
		return fmt.Errorf("%w: %w (%w)", locks.ErrNotAcquired, why, ctx.Err())
	}
	return fmt.Errorf("%w: %w", locks.ErrNotAcquired, why)
}

// Unanswered is the uncertain error of a call: a request of it may still be carried
// out. It never wraps locks.ErrNotAcquired, even if its cause does.
func Unanswered(err error) error {
	const what = "acquire was not answered"
	if errors.Is(err, locks.ErrNotAcquired) {
		return fmt.Errorf("%s: %v", what, err)
	}
	return fmt.Errorf("%s: %w", what, err)
}

// Halfway is the error of a request that followed one which had taken the
// lock, or a part of it: however certain it is by itself, the call as a whole is not. It
// wraps nothing.
func Halfway(what string, err error) error {
	return fmt.Errorf("%s, with the lock half taken: %v", what, err)
}

// Outcome is the error of a call whose single request was answered like that: nil
// for a grant. certain tells which errors prove that the request changed nothing.
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

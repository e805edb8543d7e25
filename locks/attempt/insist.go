package attempt

import (
	"context"
	"errors"
	"time"

	"locktorture/locks"
)

// An Insister repeats requests that are idempotent: sending one twice changes nothing more than
// sending it once.
type Insister struct {
	// Pause is the pause after a request without an answer.
	Pause time.Duration
	Clock locks.Clock
	// Final reports whether an error is an answer that ends the call.
	Final func(error) bool
	// Open reports whether a request may still be carried out although it ended in an error
	// that is not final.
	Open func(error) bool
}

// Insist repeats a request until it is answered or ctx is done. again reports whether an
// earlier try got no answer: that try may still be carried out, even after later requests.
func Insist[T any](ctx context.Context, i *Insister, request func(context.Context) (T, error)) (value T, again bool, err error) {
	for {
		value, err = request(ctx)
		if err == nil || i.Final(err) {
			return value, again, err
		}
		again = again || i.Open(err)
		if ctx.Err() != nil {
			return value, again, errors.Join(err, ctx.Err())
		}
		Wait(ctx.Done(), i.Clock, i.Pause)
	}
}

package driver

import (
	"context"
	"io"
	"os"
	"time"
)

// ReadReplies reads what a driver wrote while an open (1), two acquires (2, 3), an ask (4) and
// a collect (5) wait, and says what came of them: by id the error, the lease and what was
// declared.
func ReadReplies(out io.Reader, in *os.File) (answers map[int64]Answered, err error) {
	c := newCalls(nil, 0, &pipe{in: in})
	c.last = 5
	waiting := map[int64]*pending{}
	for id := range c.last {
		waiting[id+1] = &pending{grant: id == 1 || id == 2, done: make(chan answer, 1)}
		c.pending[id+1] = waiting[id+1]
	}
	err = c.read(out)
	answers = map[int64]Answered{}
	for id, p := range waiting {
		select {
		case a := <-p.done:
			is := Answered{Err: a.error(), Lease: a.lease}
			if id == 1 && is.Err == nil {
				if is.Declared, is.Err = parseDeclared(a.reply.Traits); is.Err == nil {
					is.Declared.Traits()
				}
			}
			answers[id] = is
		default:
		}
	}
	return answers, err
}

// Answered is what came of a request.
type Answered struct {
	Err      error
	Lease    *Lease
	Declared *Declared
}

// WhileHeld runs a check while a holds a lock that b may ask for.
func WhileHeld(ctx context.Context, a, b *Client, lock string, ttl time.Duration, do func() error) error {
	p := &pair{a, b, lock, ttl}
	return p.whileHeld(ctx, func(int64) error { return do() })
}

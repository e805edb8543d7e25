package harness

import (
	"context"
	"errors"
	"fmt"
	"time"

	"locktorture/nemesis"
)

// A collector is a client process that can run a stop-the-world garbage collection.
type collector interface {
	Collect(ctx context.Context, least time.Duration) (time.Duration, error)
	Echo(ctx context.Context) error
}

// A Collection is a garbage collection in a client's process.
type Collection struct {
	stopped chan struct{} // closed when the process first stopped answering
	done    chan struct{} // closed when the collection is over
	took    time.Duration
	err     error
}

// silent is the least time without an answer that counts as a stop.
const silent = 250 * time.Millisecond

// Collect starts a stop-the-world collection of at least this length in the client's process. Each
// time without answers is recorded as a pause of the client. The client must not be used until the
// collection is over.
func (c *Scripted) Collect(ctx context.Context, least time.Duration) *Collection {
	k := &Collection{stopped: make(chan struct{}), done: make(chan struct{})}
	l, ok := c.client.life.current().(collector)
	if !ok {
		k.err = errInProcess
		close(k.done)
		return k
	}
	over := make(chan struct{})
	go func() {
		defer close(over)
		k.took, k.err = l.Collect(ctx, least)
	}()
	go func() {
		defer close(k.done)
		k.err = errors.Join(c.watch(ctx, l, k, over), k.err)
	}()
	return k
}

// watch records a pause for each time without answers, until over is closed.
func (c *Scripted) watch(ctx context.Context, l collector, k *Collection, over <-chan struct{}) error {
	seen := false
	for {
		answer := make(chan error, 1)
		go func() { answer <- l.Echo(ctx) }()
		t := time.NewTimer(silent)
		var err error
		select {
		case err = <-answer:
		case <-t.C:
			s := c.script.Struck(nemesis.Pause{}, nemesis.Step{Clients: []int{c.client.number}},
				fmt.Sprintf("c%d does not answer: its runtime has stopped all its threads", c.client.number))
			if !seen {
				seen = true
				close(k.stopped)
			}
			err = <-answer
			c.script.Healed(s)
		}
		t.Stop()
		select {
		case <-over:
			return err
		case <-time.After(silent / 10):
		}
		if err != nil {
			<-over
			return err
		}
	}
}

// Stopped returns a channel that is closed when the process first stopped answering.
func (k *Collection) Stopped() <-chan struct{} { return k.stopped }

// Done returns a channel that is closed when the collection is over.
func (k *Collection) Done() <-chan struct{} { return k.done }

// Took returns the length of the stop as the runtime reports it. It is valid after Done.
func (k *Collection) Took() (time.Duration, error) { return k.took, k.err }

package scenarios

import (
	"context"
	"time"

	"locktorture/harness"
)

// A Collection is a stop-the-world garbage collection of a client's runtime.
type Collection struct {
	stage *Stage
	k     *harness.Collection
}

// CollectLater starts a collection of at least this length and returns immediately.
func (p Process) CollectLater(least time.Duration) *Collection {
	c := p.client
	if c.stage.over() {
		return nil
	}
	k := c.scripted.Collect(c.stage.ctx, least)
	c.stage.later(func(context.Context) error { <-k.Done(); return nil })
	return &Collection{c.stage, k}
}

// UntilStopped waits until the client's process does not answer.
func (k *Collection) UntilStopped() {
	if k == nil {
		return
	}
	k.stage.Until("the world is stopped", 0, func(context.Context) (bool, error) {
		select {
		case <-k.k.Stopped():
			return true, nil
		default:
			return false, nil
		}
	})
}

// Over reports whether the process runs again.
func (k *Collection) Over() bool {
	if k == nil {
		return false
	}
	select {
	case <-k.k.Done():
		return true
	default:
		return false
	}
}

// Wait waits for the end and returns the length of the stop as reported by the runtime.
func (k *Collection) Wait() (took time.Duration) {
	if k == nil {
		return 0
	}
	k.stage.step("wait for the collection", func(ctx context.Context) (err error) {
		select {
		case <-k.k.Done():
			took, err = k.k.Took()
		case <-ctx.Done():
			err = ctx.Err()
		}
		return err
	})
	return took
}

// StopTheWorld returns the scenario of a holder whose runtime collects garbage for longer than its
// session.
func StopTheWorld() Scenario {
	const least = 3 * time.Second
	return Scenario{
		Title:  "the holder's garbage collector stops the world for longer than its session",
		Source: "Kleppmann, \"How to do distributed locking\" (2016); Todd Lipcon, \"Avoiding Full GCs in HBase\" (2011)",
		Shows:  "As gc-pause, but a real JVM does it: all its threads stop, heartbeats included.",
		Story: "Client 1's heap is filled until a full collection takes three seconds. It takes the lock, reads, and its collector stops the world. Its " +
			"session expires. Client 2 takes the lock, reads, writes and releases. Client 1 resumes and writes what it had computed.",
		Lesson: "Make the session longer than any pause, or let the store check a token.",
		TTL:    time.Second,
		Cases: []Case{
			{Backend: "curator", Options: map[string]string{"heap": "1g"}, Expect: "unsafe+lost-update", Either: noticed(),
				Facts: []string{"client 2 was granted the lock while client 1's world was stopped"}},
		},
		Play: func(s *Stage) {
			c1, c2 := s.Client(1), s.Client(2)
			c1.Process.CollectLater(least).Wait()
			l1 := c1.Acquire()
			n := l1.Read()
			collection := c1.Process.CollectLater(least)
			collection.UntilStopped()
			l2 := c2.Acquire()
			s.Fact("client 2 was granted the lock while client 1's world was stopped", !collection.Over())
			l2.Write(l2.Read() + 1)
			l2.Release()
			s.Measured("the collector says that the world was stopped for", "%.2f s", collection.Wait().Seconds())
			l1.Write(n + 1)
			l1.Release()
		},
	}
}

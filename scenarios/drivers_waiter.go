package scenarios

import "time"

// heartbeats is more than the bytes of the heartbeats of a few seconds, and less than a request
// with the name of a node.
const heartbeats = 60

// GivenUpWaiter returns the scenario of a waiter that stops waiting as its connection breaks.
func GivenUpWaiter() Scenario {
	granted := []string{"client 3 was granted the lock"}
	return Scenario{
		Title:   "a waiter times out, and the connection breaks during its clean-up",
		Source:  "the Lock of kazoo",
		Shows:   "A waiter that tries only once to delete its own entry can leave one that nobody owns.",
		TTL:     6 * time.Second,
		Clients: 3,
		Story: "Client 1 holds the lock, client 2 waits and times out. Its request to delete its entry is lost with the connection. Client 2 reconnects " +
			"with the same session. Client 1 releases. Client 3 waits for the lock.",
		Lesson:   "Delete your own entry until a server confirms it, or end the session.",
		Liveness: true,
		Cases: []Case{
			{Backend: "zookeeper", Expect: "safe", Facts: granted},
			{Backend: "kazoo", Expect: "safe+deadlock"},
			{Backend: "curator", Expect: "safe", Facts: granted},
		},
		Play: func(s *Stage) {
			c1, c2, c3 := s.Client(1), s.Client(2), s.Client(3)
			l1 := c1.Acquire()
			given := c2.begin(c2.scripted.Acquire, s.TTL/3)
			s.Queue.UntilLength(2)
			s.Queue.UntilWatched()
			cleanup := c2.Links().HoldRequests()
			cleanup.UntilSomeHeld(heartbeats)
			c2.Links().Reset()
			cleanup.Heal()
			s.Need("client 2 gives up", given.Wait() == nil)
			l1.Release()
			s.Fact("client 3 was granted the lock", c3.FreeIn())
		},
	}
}

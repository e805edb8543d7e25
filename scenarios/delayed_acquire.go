package scenarios

import (
	"time"

	"locktorture/locks"
)

// DelayedAcquire returns the scenario of a request that arrives after its client has stopped
// waiting.
func DelayedAcquire() Scenario {
	return Scenario{
		Title:  "the request for the lock arrives after its client has timed out and cleaned up",
		Source: "a variant of delayed-write",
		Shows:  "The clean-up overtakes the request, and the lock is held for a whole TTL by nobody.",
		Story: "The network delays client 1's requests until it times out. If the lock cleans up, it uses another connection, which works. Then the " +
			"requests arrive and take the lock for a client that no longer wants it. Client 2 waits for a TTL.",
		Lesson: "An unanswered acquire is neither a yes nor a no.",
		TTL:    2 * time.Second,
		Cases: []Case{
			{Backend: "redis-set", Expect: "safe+orphan", Facts: []string{"client 2 was refused"}},
			{Backend: "redsync", Expect: "safe+orphan", Facts: []string{"client 2 was refused"}, Found: foundRedsyncOrphan()},
			{Backend: "redlock", Expect: "safe+orphan", Facts: []string{"client 2 was refused"}},
		},
		Play: func(s *Stage) {
			c1, c2 := s.Client(1), s.Client(2)
			all := "A"
			if len(s.Servers.cluster.Nodes) == 5 {
				all = "ABCDE"
			}
			c1.Warm()
			request := c1.LinksTo(all).HoldRequests()
			given := c1.TryLater(s.TTL / 4)
			request.UntilHeld()
			s.Need("client 1 gives up", given.Wait() == nil)
			gaveUp := s.script.Now()
			s.After("the lock was seen free for a while", gaveUp+int64(lookTakes))
			s.Probe.UntilFree()

			request.LetGo()
			s.Probe.Until("the request has landed", s.Lock, taken)
			s.Fact("client 2 was refused", c2.Try() == nil)
			s.Probe.Until("it is still taken a good part of a TTL later", s.Lock, func(sights []locks.Sight) bool {
				return taken(sights) && s.script.Now() > gaveUp+int64(s.TTL/2)
			})
			c2.Acquire().Release()
		},
	}
}

// lookTakes bounds the time until a probe of a server is recorded.
const lookTakes = 120 * time.Millisecond

// taken reports whether the lock is taken on every server.
func taken(sights []locks.Sight) bool {
	for _, x := range sights {
		if !x.Taken() {
			return false
		}
	}
	return len(sights) > 0
}

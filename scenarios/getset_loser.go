package scenarios

import (
	"slices"
	"time"

	"locktorture/locks"
)

// GetSetLoser returns the scenario of a client that loses a takeover and has changed the winner's
// time.
func GetSetLoser() Scenario {
	const overwritten = "the refused client has overwritten the holder's time"
	return Scenario{
		Title:  "the loser of a takeover overwrites the winner's expiry",
		Source: "the SETNX command's page, \"Handling deadlocks\", which calls this harmless",
		Shows:  "A slow loser writes an earlier expiry than the winner's, and the lock ends too soon.",
		Story: "Client 1's lease is over. Client 3 sees that, but the answer is delayed. Client 2 takes the lock over. Client 3's GETSET is then " +
			"refused, but leaves its own, earlier expiry in the key. When that is over, client 1 takes the lock while client 2's is valid.",
		Lesson:  "Compare and set in one step. No clock skew is needed.",
		Clients: 3,
		TTL:     longTTL,
		Cases: []Case{
			{Backend: "redis-getset", Expect: "unsafe+double-grant", Facts: []string{overwritten}},
			{Backend: "redis-set", Expect: "safe", Facts: []string{"client 3 was refused", "client 1 was refused"}},
		},
		Play: func(s *Stage) {
			c1, c2, c3 := s.Client(1), s.Client(2), s.Client(3)
			c3.Warm()
			l1 := c1.Acquire()
			l1.UntilOver()
			if s.Case.Backend == "redis-set" {
				l2 := c2.Acquire()
				s.Fact("client 3 was refused", c3.Try() == nil)
				s.Fact("client 1 was refused", c1.Try() == nil)
				l2.UntilKept(1)
				l2.Release()
				return
			}
			answer := c3.LinksTo("A").HoldRepliesAfter(1) // SETNX was refused; the value of the key is under way
			began := s.script.Now()
			loser := c3.TryLater(longest)
			answer.UntilHeld()
			s.After("half a TTL is over", began+int64(s.TTL/2))
			l2 := c2.Acquire()
			l2.UntilKept(1)
			answer.LetGo()
			s.Need("client 3 is refused", loser.Wait() == nil)
			s.Probe.Until("the key holds another time than the holder's", s.Lock, func(sights []locks.Sight) bool {
				return slices.ContainsFunc(sights, func(x locks.Sight) bool { return x.Owner != "" && x.Owner != l2.Owner() })
			})
			s.Fact(overwritten, true)
			l1 = c1.Acquire()
			s.Measured("the lock was granted again", "%.2f s before the holder's validity was over", time.Duration(l2.end()-l1.granted()).Seconds())
			l1.Release()
		},
	}
}

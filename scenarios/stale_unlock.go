package scenarios

import "time"

// StaleUnlock returns the scenario of a release that is repeated when the lock was taken again.
func StaleUnlock() Scenario {
	safe := []string{"client 2 was refused"}
	return Scenario{
		Title:  "a release whose answer was lost is repeated after the same session has taken the lock again",
		Source: "etcd#22082",
		Shows:  "The key is named after the session, so the second Unlock deletes the key of the next hold: another client is granted the lock at once.",
		TTL:    longTTL,
		Story: "Client 1 releases; the key is deleted, but the answer is delayed, and client 1 times out. It takes the lock again in the same session, " +
			"and then repeats the first release. Client 2 asks for the lock, and counts beside client 1 if granted.",
		Lesson: "Delete a key only if its create revision is yours, or end the session after an unanswered release.",
		Cases: []Case{
			{Backend: "etcd-concurrency", Variant: "session kept", Options: map[string]string{"session": "kept"}, Expect: "unsafe+lost-update", Either: noticed(), Found: foundStaleUnlock()},
			{Backend: "etcd", Expect: "safe", Facts: safe},
			{Backend: "redis-set", Expect: "safe", Facts: safe},
		},
		Play: func(s *Stage) {
			c1, c2 := s.Client(1), s.Client(2)
			l1 := c1.Acquire()
			c1.Links().UntilAnswered()
			answer := c1.Links().HoldReplies()
			yes := l1.ReleaseWithin(time.Second)
			answer.UntilSomeHeld(0)
			s.Need("the first release is not answered", !yes)
			s.Probe.UntilFree()
			answer.LetGo()
			l2 := c1.Acquire()
			n := l2.Read()
			l1.Release()
			l3 := c2.Try()
			s.Fact("client 2 was refused", l3 == nil)
			l3.Write(l3.Read() + 1)
			l2.Write(n + 1)
			l3.Release()
			l2.Release()
		},
	}
}

package scenarios

import "time"

// StoppedRelease returns the scenario of a holder that is stopped between the two commands of its
// release.
func StoppedRelease() Scenario {
	refused := []string{"client 3 was refused"}
	return Scenario{
		Title:  "a holder is stopped between checking the owner of the lock and deleting it",
		Source: "OpenStack's tooz on memcached: \"has the potential to delete others locks\"",
		Shows: "Renewing the lease does not help, because the renewal stops with its process. The delete ends the next holder's lease, and a third is " +
			"granted the lock beside it.",
		Clients: 3,
		TTL:     3 * time.Second,
		Story: "Client 1 releases: the server answers that the lock is its own, and it is stopped before it reads that. Its lease ends, and client 2 is " +
			"granted the lock. Client 1 resumes and deletes it. Client 3 asks for the lock.",
		Lesson: "Compare and delete in one step: on memcached GETS, then CAS with a past expiry.",
		Cases: []Case{
			{Backend: "redis-set", Expect: "safe", Facts: refused},
			{Backend: "memcached", Expect: "safe", Facts: refused},
		},
		Play: func(s *Stage) {
			c1, c2, c3 := s.Client(1), s.Client(2), s.Client(3)
			l1 := c1.Acquire()
			answer := c1.LinksTo("A").HoldReplies()
			release := l1.ReleaseLater()
			answer.UntilHeld()
			c1.Process.Stop()
			l2 := c2.Acquire()
			answer.LetGo()
			c1.Process.Continue()
			release.Wait()
			l3 := c3.Try()
			s.Fact("client 3 was refused", l3 == nil)
			l3.Release()
			l2.Release()
		},
	}
}

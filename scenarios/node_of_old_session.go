package scenarios

// NodeOfOldSession returns the scenario of an acquire whose first try has made a node, and whose
// second try finds the node in another session.
func NodeOfOldSession() Scenario {
	const (
		stood   = "client 1's first node stood when the servers were back"
		granted = "client 1 was granted the lock"
		kept    = "client 2 was refused as long as client 1 held"
	)
	return Scenario{
		Title:  "a retried acquire finds the node of its own previous session",
		Source: "CURATOR-604",
		Shows: "That node belongs to a session that the client has given up and the servers have not. Curator 5.4.0 compares sessions, and makes a new " +
			"node.",
		TTL: longTTL,
		Story: "Client 1's node is made, but the servers are killed before they reply. Its library gives the session up and retries with a new one. The " +
			"servers return with their data and renew all sessions. Client 1 is granted the lock; client 2 asks until the old session must be over.",
		Lesson: "A node that you find is yours only if its session is.",
		Cases: []Case{
			{Backend: "curator", Variant: "tried again and again", Options: map[string]string{"retries": "600"}, Expect: "safe", Facts: []string{stood, granted, kept}},
		},
		Play: func(s *Stage) {
			c1, c2 := s.Client(1), s.Client(2)
			other := c1.Take(s.Lock + ".other")
			c2.Acquire().Release() // this creates the queue
			reply := c1.Links().HoldReplies()
			given := c1.AcquireLater()
			s.Probe.Until("client 1's node is there", s.Lock, taken)
			reply.UntilSomeHeld(0)
			servers := s.Servers.Kill(s.Servers.all())
			c1.Links().Reset()
			reply.Heal()
			s.Need("client 1's library has given its session up", other.LostWithin(4*s.TTL))
			servers.Restart(false)
			s.Probe.Until("a node of client 1 is there", s.Lock, taken)
			s.Fact(stood, true)
			given.Within(patience)
			l1 := given.Wait()
			s.Fact(granted, l1 != nil)
			s.Fact(kept, l1 != nil && c2.AcquireWithin(2*s.TTL) == nil)
			l1.Release()
			c2.FreeIn()
		},
	}
}

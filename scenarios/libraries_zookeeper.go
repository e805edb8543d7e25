package scenarios

// CutAfterCreate returns the scenario of a connection that breaks between the two requests of one
// Lock.
func CutAfterCreate() Scenario {
	return Scenario{
		Title:  "the connection breaks after the entry in the queue was made and before the queue was read",
		Source: "the Lock of github.com/go-zookeeper/zk, which makes its node, asks for the children and returns the error of the second request",
		Shows:  "The caller was told that the lock was not taken, and its entry stands in the queue for as long as its session lives.",
		Story: "Client 1's entry is made; the reply is held back until the next request is seen on its way, and held, too. Then the connection breaks. " +
			"Client 1 is told of an error and gives up; its program goes on and keeps the session alive. Client 2 waits for the lock.",
		Lesson:   "After an error of the lock end the session, or look for the own entry and delete it.",
		Liveness: true,
		Cases: []Case{
			{Backend: "gozk", Variant: "session kept", Options: map[string]string{"session": "kept"}, Expect: "safe+deadlock", Facts: []string{"client 1 was told of an error"}, Found: foundGozkCut()},
			{Backend: "gozk", Expect: "safe", Facts: []string{"client 1 was told of an error", "client 2 was granted the lock"}},
			{Backend: "zookeeper", Expect: "safe", Facts: []string{"client 2 was granted the lock"}},
		},
		Play: func(s *Stage) {
			c1, c2 := s.Client(1), s.Client(2)
			c1.Warm()
			c2.Release(c2.Acquire()) // this creates the queue
			reply := c1.HoldReplies(s.all())
			given := c1.AcquireLater()
			s.UntilSeen("client 1's entry is in the queue", s.Lock, taken)
			reply.UntilSomeHeld(0)
			next := c1.HoldRequests(s.all())
			reply.LetGoAlone()
			next.UntilSomeHeld(len(s.Lock))
			c1.Reset(s.all())
			next.Heal()
			l1 := given.Wait()
			s.Fact("client 1 was told of an error", l1 == nil)
			c1.Release(l1)
			s.Fact("client 2 was granted the lock", c2.FreeIn())
		},
	}
}

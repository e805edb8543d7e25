package scenarios

// CutAfterCreate returns the scenario of a connection that breaks between the two requests of one
// Lock.
func CutAfterCreate() Scenario {
	return Scenario{
		Title:  "the connection breaks between creating the queue entry and reading the queue",
		Source: "the Lock of go-zookeeper/zk",
		Shows:  "The caller gets an error, but its entry stays in the queue as long as its session lives.",
		Story: "Client 1's entry is created, and the connection breaks before it can read the queue. It gets an error and gives up, but keeps its " +
			"session alive. Client 2 waits for the lock.",
		Lesson:   "After an error of the lock, end the session, or find your entry and delete it.",
		Liveness: true,
		Cases: []Case{
			{Backend: "gozk", Variant: "session kept", Options: map[string]string{"session": "kept"}, Expect: "safe+deadlock", Facts: []string{"client 1 got an error"}, Found: foundGozkCut()},
			{Backend: "gozk", Expect: "safe", Facts: []string{"client 1 got an error", "client 2 was granted the lock"}},
			{Backend: "zookeeper", Expect: "safe", Facts: []string{"client 2 was granted the lock"}},
		},
		Play: func(s *Stage) {
			c1, c2 := s.Client(1), s.Client(2)
			c1.Warm()
			c2.Acquire().Release() // this creates the queue
			reply := c1.Links().HoldReplies()
			given := c1.AcquireLater()
			s.Probe.Until("client 1's entry is in the queue", s.Lock, taken)
			reply.UntilSomeHeld(0)
			next := c1.Links().HoldRequests()
			reply.LetGoAlone()
			next.UntilSomeHeld(len(s.Lock))
			c1.Links().Reset()
			next.Heal()
			l1 := given.Wait()
			s.Fact("client 1 got an error", l1 == nil)
			l1.Release()
			s.Fact("client 2 was granted the lock", c2.FreeIn())
		},
	}
}

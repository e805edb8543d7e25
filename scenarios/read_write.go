package scenarios

// OneMutex is an object of a read–write lock that is used for two holds.
func OneMutex() Scenario {
	granted := []string{"client 2 was granted the lock"}
	return Scenario{
		Title:  "a program takes a read–write lock twice as a reader with one object, and releases twice",
		Source: "the RWMutex of go.etcd.io/etcd/client/v3/experimental/recipes, whose RLock writes the name of its key over that of the key before",
		Shows:  "The first key is forgotten: it stands for as long as the session lives, and no writer gets in.",
		TTL:    longTTL,
		Story: "Client 1 has one RWMutex in a field, and two of its workers read at the same time: RLock, RLock, RUnlock, RUnlock, all without an error. Its program goes on and keeps the session alive. " +
			"Client 2 waits to write.",
		Lesson:   "A new object for each hold.",
		Liveness: true,
		Cases: []Case{
			{Backend: "etcd-rw", Variant: "one RWMutex", Options: map[string]string{"mutex": "one"}, Expect: "safe+deadlock", Facts: []string{"client 1 was told that it has released twice"}, Found: foundOneMutex()},
			{Backend: "etcd-rw", Expect: "safe", Facts: granted},
			{Backend: "zookeeper-rw", Expect: "safe", Facts: granted},
		},
		Play: func(s *Stage) {
			c1, c2 := s.Client(1), s.Client(2)
			first, second := c1.Share(), c1.Share()
			a, b := c1.Release(first), c1.Release(second)
			s.Fact("client 1 was told that it has released twice", a && b)
			s.Fact("client 2 was granted the lock", c2.FreeIn())
		},
	}
}

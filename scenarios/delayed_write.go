package scenarios

// DelayedWrite returns the scenario of a write that the network delivers late.
func DelayedWrite() Scenario {
	return Scenario{
		Title:  "a write is delayed in the network until the lease is over",
		Source: "Kleppmann, \"How to do distributed locking\" (2016)",
		Shows:  "A write that was sent in time can arrive when somebody else holds the lock.",
		Story: "Client 1 takes the lock, reads, and sends its write while the lease is valid. The network delays it. Client 2 takes the lock, reads and " +
			"writes. Then the old write arrives.",
		Lesson: "Only the store knows when a write arrives. Let it check a token.",
		Cases: []Case{ // a lock that renews would keep the lease of a live client
			{Backend: "redis-set", Expect: "unsafe+overrun+lost-update"},
			{Backend: "redlock", Expect: "unsafe+overrun+lost-update"},
			{Backend: "redis-fenced", Variant: "plain store", Expect: "unsafe+overrun+lost-update"},
			{Backend: "redis-fenced", Variant: "fenced store", Fenced: true, Expect: "fenced+overrun", Never: []string{"lost-update"}},
		},
		Play: func(s *Stage) {
			c1, c2 := s.Client(1), s.Client(2)
			l1 := c1.Acquire()
			write := l1.SendWrite(l1.Read() + 1)
			l1.UntilOver()

			l2 := c2.Acquire()
			l2.Write(l2.Read() + 1)

			write.Deliver()
			l2.Release()
		},
	}
}

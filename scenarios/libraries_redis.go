package scenarios

// SameToken returns the scenario of one owner value for two clients.
func SameToken() Scenario {
	return Scenario{
		Title:  "two clients ask for the lock with the same owner value",
		Source: "bsm/redislock",
		Shows:  "A token that is not unique excludes nobody who has it.",
		Story:  "A program passes its own name as the Token of every Obtain. Client 1 takes the lock and reads; client 2 takes it too.",
		Lesson: "Make a new owner value for each acquire.",
		TTL:    longTTL,
		Cases: []Case{
			{Backend: "redislock", Variant: "same token", Options: map[string]string{"token": "billing"}, Expect: "unsafe+double-grant+foreign-release+lost-update", Found: foundRedislockToken()},
			{Backend: "redislock", Expect: "safe", Facts: []string{"client 2 was refused"}},
			{Backend: "redis-set", Expect: "safe", Facts: []string{"client 2 was refused"}},
		},
		Play: func(s *Stage) {
			l1, l2 := s.countBeside()
			l1.Release()
			l2.Release()
		},
	}
}

// ExtendAfterLoss returns the scenario of a renewal of a lease that has ended.
func ExtendAfterLoss() Scenario {
	return Scenario{
		Title:  "a lease is extended after it was over and another had the lock",
		Source: "go-redsync/redsync, WithSetNXOnExtend",
		Shows:  "An extension that sets the key anew succeeds for a holder that has lost the lock.",
		Story: "Client 1 takes the lock and reads the counter. Its lease ends. Client 2 takes the lock, counts and releases. Client 1's extension " +
			"succeeds, and it writes what it had computed.",
		Lesson: "A renewal must fail once the lease was over, even if nobody holds the lock now.",
		Cases: []Case{
			{Backend: "redsync", Variant: "SetNXOnExtend", Options: map[string]string{"extend": "setnx"}, Expect: "unsafe+double-grant+lost-update", Facts: []string{"client 1's lease was extended"}, Found: foundRedsyncExtend()},
			{Backend: "redsync", Expect: "safe", Facts: []string{"client 1's lease was not extended"}},
		},
		Play: func(s *Stage) {
			c1, c2 := s.Client(1), s.Client(2)
			l1 := c1.Acquire()
			n := l1.Read()
			l1.UntilOver()
			l2 := c2.Acquire()
			l2.Write(l2.Read() + 1)
			l2.Release()
			s.Probe.UntilFree()
			if !l1.Renew() {
				s.Fact("client 1's lease was not extended", true)
				return // a careful client would stop here
			}
			s.Fact("client 1's lease was extended", l1.Ask())
			l1.Write(n + 1)
			l1.Release()
		},
	}
}

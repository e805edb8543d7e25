package scenarios

// ReleaseAgain returns the scenario of a release that was lost on its way, and a second one.
func ReleaseAgain() Scenario {
	gone, kept := "the second release was answered with not held", "the server still kept the lock for client 1"
	return Scenario{
		Title:  "the link breaks during a release, heals, and the client releases again",
		Source: "redis-py#4258",
		Shows:  "The second release says \"unlocked\", but the key stays until it expires, or for ever without a TTL.",
		TTL:    longTTL,
		Story:  "Client 1 holds the lock. Its link is cut; its release returns an error. The link heals, and it releases again. The server is looked at.",
		Lesson: "Forget the token when the server has confirmed, not before.",
		Cases: []Case{
			{Backend: "redis-set", Expect: "safe", Facts: []string{"the second release was answered with yes"}},
			{Backend: "redlock", Expect: "safe", Facts: []string{"the second release was answered with yes"}},
		},
		Play: func(s *Stage) {
			c1 := s.Client(1)
			l1 := c1.Acquire()
			cut := c1.Links().Cut()
			first := l1.Release()
			cut.Heal()
			s.Need("the first release is not answered", !first)
			yes := l1.Release()
			s.Fact("the second release was answered with yes", yes)
			s.Fact(gone, c1.notHeld)
			if !yes {
				l1.UntilKept(1)
				s.Fact(kept, true)
			}
		},
	}
}

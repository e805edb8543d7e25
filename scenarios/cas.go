package scenarios

// casCases returns the cases of the scheme, which needs a lock with expiry and without tokens.
func casCases(expect string, never ...string) []Case {
	return []Case{
		{Backend: "redis-set", Expect: expect, Never: never},
		{Backend: "redlock", Expect: expect, Never: never},
	}
}

// CASToken returns the scenario of the unique, unordered token in the store.
func CASToken() Scenario {
	return Scenario{
		Title:  "a unique token in the store, and a conditional write",
		Source: "antirez, \"Is Redlock safe?\" (2016)",
		Shows:  "The late write is refused although the tokens have no order. The lock did not prevent the overrun; the store did.",
		Story: "Client 1 takes the lock, puts its unique token into the store, reads, and is stopped until its lease is over. Client 2 puts its own " +
			"token there, reads and writes. Client 1 resumes and writes on the condition that the token is still its own.",
		Lesson: "A store with conditional writes needs no order of tokens, and perhaps no lock.",
		Cases:  casCases("unsafe+overrun", "lost-update"),
		Play: func(s *Stage) {
			tokenInStore(s, func(l *Lease, n int, token string) {
				s.Fact("the conditional write was refused", !l.WriteIf(n, "token", token))
			})
		},
	}
}

// CASNotAtomic returns the same scenario with check and write as two steps.
func CASNotAtomic() Scenario {
	return Scenario{
		Title:  "the check of a unique token and the write as two steps",
		Source: "the reverse of cas-token",
		Shows:  "A check followed by a write is no conditional write: the pause comes between them.",
		Story:  "As cas-token, but client 1 reads the token, finds its own, is stopped, and then writes without a condition.",
		Lesson: "The condition must be part of the write.",
		Cases:  casCases("unsafe+overrun+lost-update"),
		Play: func(s *Stage) {
			tokenInStore(s, func(l *Lease, n int, _ string) { l.Write(n) })
		},
	}
}

func tokenInStore(s *Stage, write func(l *Lease, n int, token string)) {
	c1, c2 := s.Client(1), s.Client(2)
	l1 := c1.Acquire()
	l1.Put("token", "c1's")
	n := l1.Read()
	s.Need("the token is its own", l1.Get("token") == "c1's")
	c1.Process.Stop()
	l1.UntilOver()

	l2 := c2.Acquire()
	l2.Put("token", "c2's")
	s.Need("the second write is taken", l2.WriteIf(l2.Read()+1, "token", "c2's"))
	c1.Process.Continue()
	write(l1, n+1, "c1's")
	l2.Release()
}

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
		Source: "Salvatore Sanfilippo (antirez), \"Is Redlock safe?\" (2016): a unique token does what a growing one does, if the store can compare and set",
		Shows:  "The late write is refused although the tokens have no order. The holder overran its lease all the same: the lock did not prevent that, the store did.",
		Story: "Client 1 takes the lock, sets its unique token in the store, reads, and is stopped until its lease is over. Client 2 sets its own token, reads and writes. " +
			"Client 1 goes on with its conditional write: apply this if the token is still mine.",
		Lesson: "If the store can do a conditional write, it does not need an order of tokens; and then it may not need the lock.",
		Cases:  casCases("unsafe+overrun", "lost-update"),
		Play: func(s *Stage) {
			tokenInStore(s, func(c *Client, l *Lease, n int, token string) {
				s.Fact("the conditional write was refused", !c.WriteIf(l, n, "token", token))
			})
		},
	}
}

// CASNotAtomic returns the same scenario with check and write as two steps.
func CASNotAtomic() Scenario {
	return Scenario{
		Title:  "the same, with the check of the token and the write as two steps",
		Source: "the negative of Salvatore Sanfilippo (antirez), \"Is Redlock safe?\" (2016)",
		Shows:  "A check and a write are no conditional write: the pause comes between them.",
		Story:  "As cas-token; but client 1 reads the token, sees that it is still its own, is stopped, and then writes without a condition.",
		Lesson: "The condition must be part of the write.",
		Cases:  casCases("unsafe+overrun+lost-update"),
		Play: func(s *Stage) {
			tokenInStore(s, func(c *Client, l *Lease, n int, _ string) { c.Write(l, n) })
		},
	}
}

func tokenInStore(s *Stage, write func(c *Client, l *Lease, n int, token string)) {
	c1, c2 := s.Client(1), s.Client(2)
	l1 := c1.Acquire()
	c1.Put(l1, "token", "c1's")
	n := c1.Read(l1)
	s.Need("the token is its own", c1.Get(l1, "token") == "c1's")
	c1.Stop()
	s.UntilOver(l1)

	l2 := c2.Acquire()
	c2.Put(l2, "token", "c2's")
	s.Need("the second write is taken", c2.WriteIf(l2, c2.Read(l2)+1, "token", "c2's"))
	c1.Continue()
	write(c1, l1, n+1, "c1's")
	c2.Release(l2)
}

package scenarios

// FenceHole returns the scenario of a store that checks tokens only on writes.
func FenceHole() Scenario {
	return Scenario{
		Title:  "a fenced store that checks tokens on writes alone",
		Source: "Kleppmann, \"How to do distributed locking\" (2016), read as a check on writes",
		Shows:  "Tokens grow, the store checks them, and still an update is lost: the newer holder read before the older one wrote.",
		Story: "Client 1 (token 33) reads 0 and is stopped. Its lease ends; client 2 (token 34) reads 0. Client 1 resumes and writes 1; the store has " +
			"seen no newer write and accepts it. Client 2 writes 1.",
		Lesson: "Reads must move the high-water mark too.",
		Cases: []Case{
			{Backend: "redis-fenced", Variant: "tokens checked on writes", Fenced: true, WritesOnly: true, Expect: "unsafe+overrun+stale-accepted+lost-update"},
			{Backend: "redis-fenced", Variant: "tokens checked on reads and writes", Fenced: true, Expect: "fenced+overrun", Never: []string{"lost-update", "stale-accepted"}},
			{Backend: "etcd-concurrency", Variant: "tokens checked on writes", Fenced: true, WritesOnly: true, Expect: "unsafe+stale-accepted+lost-update", Either: noticed()},
			{Backend: "etcd-concurrency", Variant: "tokens checked on reads and writes", Fenced: true, Expect: "fenced", Either: noticed(), Never: []string{"lost-update", "stale-accepted"}},
		},
		Play: func(s *Stage) {
			c1, c2 := s.Client(1), s.Client(2)
			l1 := c1.Acquire()
			n1 := l1.Read()
			c1.Process.Stop()
			l1.UntilOver()

			l2 := c2.Acquire()
			n2 := l2.Read()
			c1.Process.Continue()
			l1.Write(n1 + 1)
			l2.Write(n2 + 1)
			l2.Release()
		},
	}
}

// TokenReread returns the scenario of a client that asks for the current token instead of using the
// token of its own grant.
func TokenReread() Scenario {
	return Scenario{
		Title:  "a stale holder asks for the current token and writes with that",
		Source: "follows from Kleppmann, \"How to do distributed locking\" (2016)",
		Shows:  "A token protects only if it belongs to the holder's own grant.",
		Story: "Client 1 takes the lock, reads, and is stopped until client 2 has taken the lock and written. Client 1 resumes, asks for the newest " +
			"token and writes with it: the store accepts it.",
		Lesson: "Keep the token with the lease, and never ask for it again.",
		Cases: []Case{
			{Backend: "redis-fenced", Variant: "the current token", Fenced: true, Expect: "unsafe+overrun+stale-accepted+lost-update"},
			{Backend: "redis-fenced", Variant: "its own token", Fenced: true, Expect: "fenced+overrun", Never: []string{"lost-update", "stale-accepted"}},
		},
		Play: func(s *Stage) {
			c1, c2 := s.Client(1), s.Client(2)
			l1 := c1.Acquire()
			n := l1.Read()
			c1.Process.Stop()
			l1.UntilOver()

			l2 := c2.Acquire()
			l2.Write(l2.Read() + 1)
			c1.Process.Continue()
			token := l1.token()
			if s.Case.Variant == "the current token" {
				token = s.Servers.CurrentToken()
			}
			l1.WriteAs(n+1, token)
			l2.Release()
		},
	}
}

package scenarios

// MissingRow returns the scenario of a FOR UPDATE that finds no row to lock.
func MissingRow() Scenario {
	return Scenario{
		Title:  "SELECT … FOR UPDATE finds no row",
		Source: "the InnoDB manual on gap locks",
		Shows:  "A lock on a row that does not exist excludes nobody.",
		Story:  "The row was never inserted. Client 1 selects it for update, finds nothing, and goes on; so does client 2. Both read, both write.",
		Lesson: "Insert and commit the row first, and check that SELECT returned it.",
		Cases: []Case{
			{Backend: "mysql-for-update-norow", Expect: "unsafe+double-grant+lost-update"},
			{Backend: "mysql-for-update", Expect: "safe", Facts: []string{"client 2 was refused"}},
		},
		Play: func(s *Stage) {
			l1, l2 := s.countBeside()
			l2.Release()
			l1.Release()
		},
	}
}

// MissingIndex returns the scenario of a FOR UPDATE that locks the rows it only reads.
func MissingIndex() Scenario {
	return Scenario{
		Title:  "SELECT … FOR UPDATE on a column without an index",
		Source: "the InnoDB manual",
		Shows:  "Independent locks wait for each other.",
		TTL:    crashTTL,
		Story:  "Client 1 takes one lock and client 2 another. Without an index on the name, client 2 waits for client 1.",
		Lesson: "Put a unique index on the lock's name.",
		Cases: []Case{
			{Backend: "mysql-for-update-noindex", Expect: "safe+deadlock", Facts: []string{"another lock had to wait"}},
			{Backend: "mysql-for-update", Expect: "safe", Facts: []string{"another lock was granted at once"}},
		},
		Liveness: true,
		Play: func(s *Stage) {
			c1, c2 := s.Client(1), s.Client(2)
			l1 := c1.Acquire()
			ctx, cancel := s.calmly(s.FreeWithin + s.FreeWithin/4)
			defer cancel()
			other := c2.acquireUntil(ctx, s.Lock+".other", c2.scripted.Acquire)
			s.Fact("another lock had to wait", other == nil)
			s.Fact("another lock was granted at once", other != nil)
			other.Release()
			l1.Release()
		},
	}
}

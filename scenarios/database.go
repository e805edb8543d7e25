package scenarios

// MissingRow returns the scenario of a FOR UPDATE that finds no row to lock.
func MissingRow() Scenario {
	return Scenario{
		Title:  "SELECT … FOR UPDATE finds no row",
		Source: "the InnoDB manual on gap locks: they only keep others from inserting, and do not conflict with each other",
		Shows:  "A lock on a row that is not there excludes nobody.",
		Story:  "Nobody has made the row. Client 1 selects it for update, finds none, and goes on; so does client 2. Both read, both write.",
		Lesson: "Make the row first, commit it, and check that the SELECT has found it.",
		Cases: []Case{
			{Backend: "mysql-for-update-norow", Expect: "unsafe+double-grant+lost-update"},
			{Backend: "mysql-for-update", Expect: "safe", Facts: []string{"client 2 was refused"}},
		},
		Play: func(s *Stage) {
			l1, l2 := s.countBeside()
			s.Client(2).Release(l2)
			s.Client(1).Release(l1)
		},
	}
}

// MissingIndex returns the scenario of a FOR UPDATE that locks the rows it only reads.
func MissingIndex() Scenario {
	return Scenario{
		Title:  "SELECT … FOR UPDATE on a column without an index",
		Source: "the InnoDB manual: without an index every row that is scanned is locked",
		Shows:  "Locks that have nothing to do with each other wait for each other.",
		TTL:    crashTTL,
		Story:  "Client 1 takes one lock and client 2 another one. Without an index on the name the second waits for the first.",
		Lesson: "Put a unique index on the name of the lock.",
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
			c2.Release(other)
			c1.Release(l1)
		},
	}
}

package scenarios

// PooledConnection returns the scenario of a lock that belongs to one connection and is released
// over another.
func PooledConnection() Scenario {
	pooled := map[string]string{"pooled": "true"}
	notHeld := []string{"the release was answered with not held", "the server still kept the lock for client 1", "client 2 was refused"}
	granted := []string{"client 2 was granted the lock"}
	return Scenario{
		Title:  "a lock that belongs to a connection is released over another one of the pool",
		Source: "the manuals of MySQL and PostgreSQL",
		Shows:  "It works with one connection, as in tests. With more, the release fails, and the lock stays until the pool closes the first connection.",
		Story: "Client 1 takes the lock over one connection of its pool and releases it over another. Client 2 waits longer than the lock may stay " +
			"taken.",
		Lesson: "Pin the connection while you hold the lock, and close it if a release fails.",
		TTL:    crashTTL,
		Cases: []Case{
			{Backend: "mysql-get-lock", Variant: "through a pool", Options: pooled, Expect: "safe+deadlock+orphan", Facts: notHeld},
			{Backend: "mysql-get-lock", Variant: "pinned", Expect: "safe", Facts: granted},
			{Backend: "postgres-advisory", Variant: "through a pool", Options: pooled, Expect: "safe+deadlock+orphan", Facts: notHeld},
			{Backend: "postgres-advisory", Variant: "pinned", Expect: "safe", Facts: granted},
		},
		Liveness: true,
		Play: func(s *Stage) {
			c1, c2 := s.Client(1), s.Client(2)
			l1 := c1.Acquire()
			l1.Write(l1.Read() + 1)
			if !l1.Release() {
				s.Fact("the release was answered with not held", c1.notHeld)
				l1.UntilKept(1)
				s.Fact("the server still kept the lock for client 1", true)
			}
			c2.waitLong()
			s.Probe.Once() // two looks show that the server keeps the lock
		},
	}
}

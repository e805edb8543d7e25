//go:build !wasip1 && !simulated

package scenarios

// snapshotIsolation is the variant in which the database itself refuses the write.
const snapshotIsolation = "released before the commit, snapshot isolation"

// LockInsideTransaction returns the scenario of a lock that is shorter than the transaction that it
// should protect.
func LockInsideTransaction() Scenario {
	const early, late, before = "released before the commit", "released after the commit", "begun before the lock was taken"
	onBoth := func(variant, expect string, facts ...string) Case {
		return Case{Backend: "redis-set", Variant: variant, Topology: "redis-mariadb", Expect: expect,
			Never: []string{"double-grant", "overrun"}, Facts: facts}
	}
	const refused = "the database refused the write: the row had changed since the snapshot"
	return Scenario{
		Title:  "the lock is released before the transaction commits, or taken after it has begun",
		Source: "declarative transactions",
		Shows: "The lock kept its promise. But a transaction reads the state when it began, and its writes show when it commits: both are outside the " +
			"lock.",
		Story: "Client 1 takes the lock, reads and writes in a transaction, and releases before it commits. Client 2 takes the lock and reads the old " +
			"state in its own transaction. Client 1 commits; client 2 adds one to what it read, and commits. If the database refuses, it starts again.",
		Lesson: "Take the lock, begin, commit, release. Or let the database detect it: snapshot isolation, or a version in the UPDATE.",
		Store:  openLedger,
		TTL:    longTTL,
		Cases: []Case{
			onBoth(early, "unsafe+lost-update"),
			onBoth(before, "unsafe+lost-update"),
			onBoth(late, "safe"),
			// It had read an old value, and the write based on it was refused.
			onBoth(snapshotIsolation, "safe+nonlinearizable", refused),
		},
		Play: func(s *Stage) {
			c1, c2 := s.Client(1), s.Client(2)
			if s.Case.Variant == before {
				c2.Transaction.Begin()
			}
			l1 := c1.Acquire()
			c1.Transaction.Begin()
			l1.Write(l1.Read() + 1)
			if s.Case.Variant == late || s.Case.Variant == before {
				c1.Transaction.Commit()
			}
			l1.Release()

			l2 := c2.Acquire()
			if s.Case.Variant != before {
				c2.Transaction.Begin()
			}
			n := l2.Read()
			if c1.Transaction.conn != nil {
				c1.Transaction.Commit()
			}
			if !l2.Write(n + 1) {
				s.Fact(refused, true)
				c2.Transaction.Rollback()
				c2.Transaction.Begin()
				l2.Write(l2.Read() + 1)
			}
			c2.Transaction.Commit()
			l2.Release()
		},
	}
}

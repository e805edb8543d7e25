package scenarios

// plainAndFenced returns the locks that a stopped holder can overrun, on a store without checks of
// tokens and on one with them.
func plainAndFenced() []Case {
	plain := func(backend string) Case {
		return Case{Backend: backend, Expect: "unsafe+overrun+lost-update"}
	}
	unfenced := func(backend string) Case {
		return Case{Backend: backend, Variant: "plain store", Expect: "unsafe+overrun+lost-update"}
	}
	fenced := func(backend string) Case {
		return Case{Backend: backend, Variant: "fenced store", Fenced: true, Expect: "fenced+overrun", Never: []string{"lost-update"}}
	}
	// The holder's only guarantee is a notice of the loss.
	watched := func(c Case, expect string) Case {
		c.Expect, c.Either = expect, noticed()
		return c
	}
	return []Case{
		plain("redis-set"), plain("redis-watchdog"), plain("redlock"),
		unfenced("redis-fenced"), fenced("redis-fenced"),
		watched(unfenced("etcd-concurrency"), "unsafe+lost-update"), watched(fenced("etcd-concurrency"), "fenced"),
		watched(fenced("etcd"), "fenced"), watched(fenced("zookeeper"), "fenced"), watched(fenced("consul"), "fenced"),
		fenced("mysql-unique-ttl"),
	}
}

// noticed returns the anomalies of a stopped holder whose lock reports its loss.
func noticed() []string { return []string{"overrun", "late-notice"} }

// GCPause returns the scenario of a holder that is stopped for longer than its lease.
func GCPause() Scenario {
	return Scenario{
		Title:  "a holder is stopped for longer than its lease, and writes",
		Source: "Kleppmann, \"How to do distributed locking\" (2016), first drawing",
		Shows:  "No lock can help a holder that does not know that its lease is over. A store that checks tokens can.",
		Story: "Client 1 takes the lock and reads. Its process is paused, as a garbage collection might do, until its lease is over. Client 2 takes the " +
			"lock, reads, writes and releases. Client 1 resumes and writes what it had computed.",
		Lesson: "What a lease protects must check a token itself, or tolerate writes by two clients.",
		Cases: append(plainAndFenced(), Case{
			Backend: "local", Variant: "no expiry", Expect: "safe", Facts: []string{"client 2 was refused while client 1 was stopped"},
		}),
		Play: func(s *Stage) { pauseOverLease(s, false) },
	}
}

// GCPauseAfterCheck returns the same scenario with a check of the lease directly before the stop.
func GCPauseAfterCheck() Scenario {
	return Scenario{
		Title:  "the holder asks whether its lease is valid, and is stopped after the answer",
		Source: "Kleppmann, \"How to do distributed locking\" (2016)",
		Shows:  "Checking the validity before the write does not help: the pause comes between the two.",
		Story:  "As gc-pause, but client 1 asks for its validity, learns that the lease is valid, and is stopped directly after that.",
		Lesson: "A check in the client narrows the window and does not close it.",
		Cases:  plainAndFenced(),
		Play:   func(s *Stage) { pauseOverLease(s, true) },
	}
}

func pauseOverLease(s *Stage, asks bool) {
	c1, c2 := s.Client(1), s.Client(2)
	l1 := c1.Acquire()
	n := l1.Read()
	if asks && s.traits.Bounded {
		s.Need("the lease was valid when asked", l1.Ask())
	}
	c1.Process.Stop()
	l1.UntilOver()

	var l2 *Lease
	if s.traits.LeastTTL > 0 {
		l2 = c2.Acquire()
	} else {
		l2 = c2.Try()
	}
	s.Fact("client 2 was refused while client 1 was stopped", l2 == nil)
	l2.Write(l2.Read() + 1)
	l2.Release()

	c1.Process.Continue()
	l1.Write(n + 1)
	if s.traits.Watched {
		l1.UntilLost() // before that, some locks confirm a release and some do not
	}
	l1.Release()
}

package scenarios

import "time"

// OneMutex returns the scenario of a read–write lock whose object is used for two holds.
func OneMutex() Scenario {
	granted := []string{"client 2 was granted the lock"}
	return Scenario{
		Title:  "a program takes a read–write lock twice as a reader with one object, and releases twice",
		Source: "etcd's RWMutex",
		Shows:  "The first key is forgotten. While the session lives, no writer gets in.",
		TTL:    longTTL,
		Story: "Two workers of client 1 share one RWMutex: RLock, RLock, RUnlock, RUnlock, all without an error. The session stays alive. Client 2 " +
			"waits to write.",
		Lesson:   "Make a new object for each hold.",
		Liveness: true,
		Cases: []Case{
			{Backend: "etcd-rw", Variant: "one RWMutex", Options: map[string]string{"mutex": "one"}, Expect: "safe+deadlock", Facts: []string{"both releases of client 1 succeeded"}, Found: foundOneMutex()},
			{Backend: "etcd-rw", Expect: "safe", Facts: granted},
			{Backend: "zookeeper-rw", Expect: "safe", Facts: granted},
		},
		Play: func(s *Stage) {
			c1, c2 := s.Client(1), s.Client(2)
			first, second := c1.Reader().Acquire(), c1.Reader().Acquire()
			a, b := first.Release(), second.Release()
			s.Fact("both releases of client 1 succeeded", a && b)
			s.Fact("client 2 was granted the lock", c2.FreeIn())
		},
	}
}

// ReaderBetweenWriters returns the scenario of a reader that waits with a writer before it and one
// behind it.
func ReaderBetweenWriters() Scenario {
	served := []string{"the reader was granted the lock", "the second writer was granted the lock"}
	return Scenario{
		Title:   "a reader waits between two writers",
		Source:  "kazoo#649 on its ReadLock and WriteLock, fixed in 2.9.0",
		Shows:   "A reader that also waits for later writers waits for one that waits for it.",
		TTL:     4 * time.Second, // the second of the two is killed before the session of the first has ended
		Clients: 3,
		Story:   "Client 1 writes, client 2 waits to read, client 3 waits behind it to write. Client 1 releases.",
		Lesson:  "A reader must wait only for the writers before it.",
		Cases: []Case{
			{Backend: "kazoo-rw", Expect: "safe+deadlock", Found: foundReaderBetweenWriters()},
			{Backend: "zookeeper-rw", Expect: "safe", Facts: served},
			{Backend: "etcd-rw", Expect: "safe", Facts: served},
			{Backend: "curator-rw", Expect: "safe", Facts: served},
		},
		Liveness: true,
		Play: func(s *Stage) {
			c1, c2, c3 := s.Client(1), s.Client(2), s.Client(3)
			l1 := c1.Acquire()
			reader := c2.Reader().AcquireLater()
			s.Queue.UntilLength(2)
			writer := c3.AcquireLater()
			s.Queue.UntilLength(3)
			l1.Release()
			reader.Calmly(s.FreeWithin + s.FreeWithin/4)
			s.Fact("the reader was granted the lock", reader.Answered())
			if !reader.Answered() { // if one of the two stopped waiting, the other would be granted the lock at an unknown time
				c2.Process.Kill()
				c3.Process.Kill()
				return
			}
			reader.Wait().Release()
			l3 := writer.Wait()
			s.Fact("the second writer was granted the lock", l3 != nil)
			l3.Release()
		},
	}
}

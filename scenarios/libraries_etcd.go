package scenarios

import "locktorture/locks"

// SharedSession returns the scenario of one session for two mutexes.
func SharedSession() Scenario {
	return Scenario{
		Title:  "two workers take the same lock under one session",
		Source: "etcd's Mutex, which names its key after the session",
		Shows:  "A lock that belongs to a session does not exclude those who share it, and their tokens are equal.",
		Story: "Clients 1 and 2 work under one lease, as two workers of a program with one session. Client 1 takes the lock and reads; client 2 takes " +
			"it too.",
		Lesson: "Use one session for each holder, or a local mutex in front of the shared one.",
		Cases: []Case{
			{Backend: "etcd-concurrency", Variant: "one session", Options: map[string]string{"session": "shared"}, Expect: "unsafe+lost-update+token-duplicate", Either: noticed(), Found: foundEtcdShared()},
			{Backend: "etcd-concurrency", Expect: "safe", Facts: []string{"client 2 was refused"}},
			{Backend: "etcd", Expect: "safe", Facts: []string{"client 2 was refused"}},
		},
		Play: func(s *Stage) {
			l1, l2 := s.countBeside()
			if l2 == nil { // otherwise both hold one key: a release by one takes it from the other
				l1.Release()
			}
		},
	}
}

// LostReply returns the scenario of a request that was executed and whose reply arrived too late.
func LostReply() Scenario {
	return Scenario{
		Title:  "the reply to the request for the lock comes too late for its client",
		Source: "etcd's Lock; GreptimeDB#7670",
		Shows:  "A client that got an error holds the lock as long as its session or connection lives.",
		Story: "Client 1's request is carried out, but the reply is delayed. Client 1 times out and keeps its session, or its pooled connection, alive. " +
			"Client 2 waits for the lock.",
		Lesson:   "After an unanswered acquire, end the session, or ask again until there is an answer.",
		Liveness: true,
		Cases: []Case{
			{Backend: "etcd-concurrency", Variant: "session kept", Options: map[string]string{"session": "kept"}, Expect: "safe+deadlock", Facts: []string{"client 1 gave up"}, Found: foundEtcdReply()},
			{Backend: "etcd-concurrency", Expect: "safe", Facts: []string{"client 1 gave up", "client 2 was granted the lock"}},
			{Backend: "etcd", Expect: "safe", Facts: []string{"client 1 gave up", "client 2 was granted the lock"}},
			{Backend: "postgres-advisory", Variant: "connection kept", Options: map[string]string{"kept": "true"}, Expect: "safe+deadlock", Facts: []string{"client 1 gave up"}, Found: foundKeptConnection(),
				Race: "a waiter whose own withdrawal is not answered in time on a busy machine could have been granted the lock"},
			{Backend: "postgres-advisory", Expect: "safe", Facts: []string{"client 1 gave up", "client 2 was granted the lock"}},
		},
		Play: func(s *Stage) {
			c1, c2 := s.Client(1), s.Client(2)
			c1.Warm()
			reply := c1.Links().HoldReplies()
			given := c1.TryLater(longest)
			s.Probe.Until("client 1's request was carried out", s.Lock, func(sights []locks.Sight) bool { return taken(sights) })
			reply.UntilSomeHeld(0)
			given.GiveUp()
			l1 := given.Wait()
			s.Fact("client 1 gave up", l1 == nil)
			reply.LetGo()
			l1.Release()
			s.Fact("client 2 was granted the lock", c2.FreeIn())
		},
	}
}

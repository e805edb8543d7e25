package scenarios

import "time"

// ForeignDel returns the scenario of a release that deletes the key of any owner.
func ForeignDel() Scenario {
	return Scenario{
		Title:   "a holder that overran its TTL deletes the next one's lock",
		Source:  "the SET command's page",
		Shows:   "A plain DEL ends another client's lease, and a third takes the lock beside the second.",
		Clients: 3,
		Story: "Client 1 works for longer than the TTL. Client 2 takes the lock. Client 1 releases: its DEL deletes client 2's key. Client 3 takes the " +
			"lock.",
		Lesson: "Give every grant a random value, and release by compare-and-delete in one script.",
		Cases: []Case{
			{Backend: "redis-set-del", Expect: "unsafe+foreign-release+double-grant"},
			{Backend: "redis-getset", Expect: "unsafe+foreign-release+double-grant"},
			{Backend: "redis-set", Expect: "safe", Facts: []string{"client 1's release was answered with not held", "client 3 was refused"}},
		},
		Play: func(s *Stage) {
			c1, c2, c3 := s.Client(1), s.Client(2), s.Client(3)
			l1 := c1.Acquire()
			l1.UntilOver()
			l2 := c2.Acquire()
			l2.UntilKept(1)
			if l1.Release() {
				l2.UntilGone()
			} else {
				s.Fact("client 1's release was answered with not held", true)
			}
			l3 := c3.Try()
			s.Fact("client 3 was refused", l3 == nil)
			l3.Release()
		},
	}
}

// GetThenDel returns the scenario of a release in two commands.
func GetThenDel() Scenario {
	return Scenario{
		Title:  "the lock changes hands between the GET and the DEL of a release",
		Source: "the SET command's page",
		Shows:  "Checking the owner and deleting the key as two commands leaves a gap.",
		Story: "Client 1 releases: its GET returns its own value, but the answer is delayed until the lease is over and client 2 has taken the lock. " +
			"Client 1 reads the answer and deletes client 2's key.",
		Lesson: "Compare and delete in one script.",
		TTL:    time.Second,
		Cases: []Case{
			{Backend: "redis-set-getdel", Options: patientRedis(), Expect: "safe+foreign-release"},
			{Backend: "redis-set", Options: patientRedis(), Expect: "safe"},
		},
		Play: func(s *Stage) {
			c1, c2 := s.Client(1), s.Client(2)
			l1 := c1.Acquire()
			answer := c1.LinksTo("A").HoldReplies()
			release := l1.ReleaseLater()
			answer.UntilHeld()
			l1.UntilOver()
			l2 := c2.Acquire()
			l2.UntilKept(1)
			answer.LetGo()
			release.Wait()
			if s.Case.Backend == "redis-set-getdel" {
				l2.UntilGone()
			}
			s.Probe.Once()
			l2.Release()
		},
	}
}

// patientRedis makes a client wait longer for an answer than the script takes.
func patientRedis() map[string]string { return map[string]string{"timeout": "1m"} }

// ReleaseTwice returns the scenario of a release that is repeated when another client holds the
// lock.
func ReleaseTwice() Scenario {
	notHeld := []string{"the second release was answered with not held"}
	return Scenario{
		Title:  "a lease is released twice, and the second time another holds the lock",
		TTL:    3 * time.Second, // memcached allows no less
		Source: "a common mistake",
		Shows:  "A plain DEL releases whoever holds the lock now.",
		Story:  "Client 1 takes the lock and releases it. Client 2 takes it. Client 1 releases the same lease again.",
		Lesson: "A second release must return an error and change nothing.",
		Cases: []Case{
			{Backend: "redis-setnx", Expect: "safe+foreign-release"},
			{Backend: "redis-set-del", Expect: "safe+foreign-release"},
			{Backend: "redis-getset", Expect: "safe+foreign-release"},
			{Backend: "redis-setnx-expire", Expect: "safe", Facts: notHeld},
			{Backend: "redis-set", Expect: "safe", Facts: notHeld},
			{Backend: "redis-watchdog", Expect: "safe", Facts: notHeld},
			{Backend: "redis-fenced", Expect: "safe", Facts: notHeld},
			{Backend: "redlock", Expect: "safe", Facts: notHeld},
			{Backend: "mysql-unique", Expect: "safe", Facts: notHeld},
			{Backend: "mysql-unique-ttl", Expect: "safe", Facts: notHeld},
			{Backend: "mysql-get-lock", Expect: "safe", Facts: notHeld},
			{Backend: "postgres-advisory", Expect: "safe", Facts: notHeld},
			{Backend: "memcached", Expect: "safe", Facts: notHeld},
			{Backend: "zookeeper", Expect: "safe", Facts: notHeld},
			{Backend: "consul", Expect: "safe", Facts: notHeld},
			{Backend: "etcd", Expect: "safe", Facts: notHeld},
			{Backend: "etcd-concurrency", Expect: "safe", Facts: notHeld},
			{Backend: "local", Expect: "safe", Facts: notHeld},
		},
		Play: func(s *Stage) {
			c1, c2 := s.Client(1), s.Client(2)
			l1 := c1.Acquire()
			s.Need("the first release succeeds", l1.Release())
			l2 := c2.Acquire()
			l2.UntilKept(s.Servers.quorum())
			if l1.Release() {
				l2.UntilGone()
			} else {
				s.Fact("the second release was answered with not held", c1.notHeld)
				l2.UntilKept(s.Servers.quorum())
			}
			s.Probe.Once()
			l2.Release()
		},
	}
}

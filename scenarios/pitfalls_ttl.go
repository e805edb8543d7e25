package scenarios

import "time"

// WorkLongerThanTTL returns the scenario of work that takes longer than the lease.
func WorkLongerThanTTL() Scenario {
	return Scenario{
		Title:  "the work takes longer than the TTL",
		Source: "the reason for Redisson's lock watchdog",
		Shows:  "A lock that renews itself is kept; one that does not loses an update.",
		Story: "Client 1 takes the lock, reads, and works for longer than the TTL. Client 2 tries; if it gets the lock, it reads, writes and releases. " +
			"Client 1 writes.",
		Lesson: "Make the TTL longer than the longest work, or renew. Let the store check a token.",
		TTL:    time.Second,
		Cases: []Case{
			{Backend: "redis-set", Expect: "unsafe+overrun+lost-update"},
			{Backend: "redlock", Expect: "unsafe+overrun+lost-update"},
			{Backend: "redis-watchdog", Expect: "safe", Facts: []string{"client 2 was refused"}},
			{Backend: "etcd-concurrency", Expect: "safe", Facts: []string{"client 2 was refused"}},
		},
		Play: func(s *Stage) {
			c1, c2 := s.Client(1), s.Client(2)
			c2.Warm()
			l1 := c1.Acquire()
			n := l1.Read()
			s.After("the work is done", s.script.Now()+int64(2*s.TTL))
			l2 := c2.Try()
			s.Fact("client 2 was refused", l2 == nil)
			l2.Write(l2.Read() + 1)
			l2.Release()
			if s.traits.Renews && s.traits.Bounded {
				l1.Ask() // the watchdog has renewed it, so the holder knows the new end
			}
			l1.Write(n + 1)
			l1.Release()
		},
	}
}

// WatchdogStops returns the scenario of a watchdog that cannot reach its server.
func WatchdogStops() Scenario {
	return Scenario{
		Title:  "the watchdog cannot renew",
		Source: "follows from Redisson's lock watchdog",
		Shows:  "The holder learns of the loss in time, because its validity ends with its last renewal.",
		Story: "Client 1 takes the lock and is cut off from the server, so its watchdog cannot renew. When its validity is over, client 1 asks before " +
			"it writes, and gives up. Client 2 takes the lock.",
		Lesson: "A watchdog must notify its holder, and the holder must ask before each write.",
		Cases: []Case{
			{Backend: "redis-watchdog", Expect: "safe", Never: []string{"overrun"},
				Facts: []string{"client 1 knew that its lease was over", "the loss was reported"}},
		},
		Play: func(s *Stage) {
			c1, c2 := s.Client(1), s.Client(2)
			l1 := c1.Acquire()
			n := l1.Read()
			c1.LinksTo("A").Cut()
			l1.UntilGone()
			l1.UntilLost()
			s.Fact("the loss was reported", true)
			if l1.Ask() {
				l1.Write(n + 1)
			} else {
				s.Fact("client 1 knew that its lease was over", true)
			}
			l2 := c2.Acquire()
			l2.Write(l2.Read() + 1)
			l2.Release()
		},
	}
}

// GetSetRace returns the scenario of a lock that depends on its clients' clocks.
func GetSetRace() Scenario {
	return Scenario{
		Title:  "a client whose clock is ahead takes over a valid lock",
		Source: "the SETNX command's page, \"Handling deadlocks\"",
		Shows:  "A lock whose expiry is a time in the key trusts every client's clock.",
		Story: "Client 1 takes the lock. Client 2's clock is ahead by more than a TTL: it believes that the lease is over, and takes the lock with " +
			"GETSET.",
		Lesson: "Let one clock, the server's, decide when a lease is over.",
		TTL:    longTTL,
		Cases: []Case{
			{Backend: "redis-getset", Expect: "unsafe+double-grant"},
			{Backend: "redis-set", Expect: "safe", Facts: []string{"client 2 was refused"}},
		},
		Play: func(s *Stage) {
			c1, c2 := s.Client(1), s.Client(2)
			l1 := c1.Acquire()
			c2.Process.SkewClock(s.TTL + time.Second)
			l2 := c2.Try()
			s.Fact("client 2 was refused", l2 == nil)
			s.Need("client 1 learns that its lease is valid", l1.Ask())
			l2.Release()
		},
	}
}

// IgnoredFailure returns the scenario of a client that continues without the lock.
func IgnoredFailure() Scenario {
	return Scenario{
		Title:  "a client does not check whether it got the lock",
		Source: "a common mistake: the result of tryLock is ignored",
		Shows:  "The lock kept its promise; the client did not ask.",
		Story:  "Client 1 holds the lock and has read. Client 2 is refused, but reads and writes anyway. Client 1 writes.",
		Lesson: "A refusal must end the section.",
		Cases:  []Case{{Backend: "redis-set", Expect: "unsafe+lost-update", Never: []string{"double-grant", "overrun"}}},
		Play: func(s *Stage) {
			c1, c2 := s.Client(1), s.Client(2)
			l1 := c1.Acquire()
			n := l1.Read()
			s.Need("client 2 is refused", c2.Try() == nil)
			without := c2.Without()
			without.Write(without.Read() + 1)
			l1.Write(n + 1)
			l1.Release()
		},
	}
}

// Reentrant returns the scenario of a holder that acquires its lock again.
func Reentrant() Scenario {
	return Scenario{
		Title:  "a holder takes its lock again",
		Source: "Java's ReentrantLock, and Redisson's RLock after it",
		Shows:  "The owner re-enters at once, others wait, and only the last release frees the lock.",
		Story:  "Client 1 takes the lock twice. Client 2 is refused, also after client 1's first release. After the second it is granted the lock.",
		Lesson: "Count the entries on the server, under the owner's name.",
		Cases: []Case{{Backend: "redis-reentrant", Model: "reentrant", Expect: "safe", Facts: []string{
			"client 2 was refused", "client 2 was refused after the inner release", "client 2 was granted the lock after the outer release",
		}}},
		Play: func(s *Stage) {
			c1, c2 := s.Client(1), s.Client(2)
			outer := c1.Acquire()
			inner := c1.Acquire()
			s.Fact("client 2 was refused", c2.Try() == nil)
			s.Need("the inner release succeeds", inner.Release())
			s.Fact("client 2 was refused after the inner release", c2.Try() == nil)
			s.Need("the outer release succeeds", outer.Release())
			l2 := c2.Acquire()
			s.Fact("client 2 was granted the lock after the outer release", l2 != nil)
			l2.Release()
		},
	}
}

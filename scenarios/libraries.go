package scenarios

import (
	"time"
)

// ExpiredWaiter returns the scenario of a waiter whose session ends while its process is stopped.
func ExpiredWaiter() Scenario {
	return Scenario{
		Title:   "a waiter's session expires while its process is stopped, and its predecessor releases",
		Source:  "the Lock of go-zookeeper/zk, which does not check its own node",
		Shows:   "A waiter that wakes up late believes that it is next, although its node is gone and another holds the lock.",
		Clients: 3,
		Story: "Client 1 holds the lock; client 2 waits behind it and is stopped. Client 1 releases; client 2's session expires. Client 3 takes the " +
			"lock. Client 2 resumes.",
		Lesson: "After every wait, check that your own node is still there.",
		Cases: []Case{
			{
				Backend: "gozk", Expect: "unsafe+double-grant", Found: foundGozkExpiredWaiter(),
				Race: "the client wakes up to the message that its turn has come and to a time-out of the same read, and takes either",
			},
			{Backend: "zookeeper", Expect: "safe", Facts: []string{"client 2 was not granted the lock beside client 3"}},
		},
		Play: func(s *Stage) {
			c1, c2, c3 := s.Client(1), s.Client(2), s.Client(3)
			l1 := c1.Acquire()
			waiter := c2.AcquireLater()
			s.Queue.UntilLength(2)
			c2.Process.Stop()
			l1.Release()
			s.Queue.UntilLength(0)
			l3 := c3.Acquire()
			c2.Process.Continue()
			waiter.Within(2 * s.TTL)
			if waiter.Answered() && waiter.Wait() != nil {
				return // both hold it now
			}
			s.Fact("client 2 was not granted the lock beside client 3", true)
			l3.Release()
		},
	}
}

// ClockAhead returns the scenario of a server whose clock is ahead of its clients'.
func ClockAhead() Scenario {
	return Scenario{
		Title:  "the server's clock is ahead by more than a validity",
		Source: "rueidislock",
		Shows:  "SET … PXAT with a past time answers OK and leaves no key: every client is granted the lock.",
		Story:  "Redis' clock is ahead by a TTL and a second. Client 1 takes the lock, and so does client 2.",
		Lesson: "Send the server a duration, not an end.",
		Cases: []Case{
			{Backend: "rueidislock", Expect: "unsafe", Either: noticed(), Found: foundRueidisClock()},
			{Backend: "redis-set", Expect: "safe", Facts: []string{"client 2 was refused"}},
		},
		Play: func(s *Stage) {
			c1, c2 := s.Client(1), s.Client(2)
			s.Servers.Jump("A", s.TTL+time.Second)
			l1 := c1.Acquire()
			l2 := c2.Try()
			s.Fact("client 2 was refused", l2 == nil)
			l1.Write(l1.Read() + 1)
			l2.Release()
		},
	}
}

// silence bounds the wait of silent-link for a notice.
const silence = 5 * time.Second

// SilentLink returns the scenario of a holder that is cut off without an error.
func SilentLink() Scenario {
	return Scenario{
		Title:  "the link to the servers falls silent: when does the holder learn that another has the lock?",
		Source: "Consul's Lock and rueidislock",
		Shows:  "A notice that waits for the network comes too late. A lock that counts its own validity knows in time.",
		Story: "Client 1 takes the lock. From then on everything that it sends is lost without an error. Client 2 waits, and is granted the lock when " +
			"client 1's lease is over.",
		Lesson: "A holder must be able to compute the end of its lease by itself.",
		Cases: []Case{
			{Backend: "consul-api", Expect: "unsafe+late-notice", Found: foundConsulSilence()},
			{Backend: "rueidislock", Expect: "unsafe+late-notice", Found: foundRueidisSilence()},
			{Backend: "redis-watchdog", Expect: "safe"},
			{Backend: "consul", Expect: "safe"},
			{Backend: "zookeeper", Expect: "safe"},
		},
		Play: func(s *Stage) {
			c1, c2 := s.Client(1), s.Client(2)
			l1 := c1.Acquire()
			c1.LinksTo("ABCDE"[:len(s.Servers.cluster.Nodes)]).Cut()
			l2 := c2.Acquire()
			granted := s.script.Now()
			if l1.LostWithin(silence) {
				s.Measured("the loss was reported", "%.2f s after the other grant, or before it", time.Duration(s.script.Now()-granted).Seconds())
			} else {
				s.Measured("the loss was not reported", "within %v after the other grant", silence)
			}
			l2.Release()
		},
	}
}

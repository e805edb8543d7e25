package scenarios

// FairSkew returns the scenario of a queue whose timeouts are measured by its clients' clocks.
func FairSkew() Scenario {
	const over, order = "client 3 was granted the lock before client 2, who had come first", "client 2 was granted the lock first"
	return Scenario{
		Title:  "a waiter whose clock is ahead jumps the queue of a fair lock",
		Source: "Redisson's RedissonFairLock",
		Shows:  "A client whose clock is ahead removes the others from the queue. Nothing is violated, but the lock is not fair.",
		Story: "Client 1 holds the lock, client 2 waits. Client 3, whose clock is ahead by more than a waiter's time-out, asks for the lock, and client " +
			"2 loses its place. Client 1 releases.",
		Lesson:  "Let the server keep the order, as ZooKeeper's sequential nodes do.",
		Clients: 3,
		Cases: []Case{
			{Backend: "redis-fair", Variant: "client 3's clock is ahead", Expect: "safe", Facts: []string{over}},
			{Backend: "redis-fair", Variant: "the clocks agree", Expect: "safe", Facts: []string{order}},
			{Backend: "zookeeper", Variant: "client 3's clock is ahead", Expect: "safe", Facts: []string{order}},
		},
		Play: func(s *Stage) {
			c1, c2, c3 := s.Client(1), s.Client(2), s.Client(3)
			if s.Case.Variant != "the clocks agree" {
				c3.Process.SkewClock(10 * s.TTL)
			}
			l1 := c1.Acquire()
			second := c2.AcquireLater()
			s.Queue.untilWaiting(1, "")
			first := s.Queue.head()
			third := c3.AcquireLater()
			if s.Case.Backend == "redis-fair" && s.Case.Variant != "the clocks agree" {
				s.Queue.untilWaiting(1, first) // client 3 alone, or before client 2, which queues again
			} else {
				s.Queue.untilWaiting(2, "")
			}
			l1.Release()
			if s.Case.Facts[0] == over {
				l3 := third.Wait()
				s.Fact(over, l3 != nil && !second.Answered())
				l3.Release()
				second.Wait().Release()
				return
			}
			l2 := second.Wait()
			s.Fact(order, l2 != nil && !third.Answered())
			l2.Release()
			third.Wait().Release()
		},
	}
}

package scenarios

import "time"

// SlotWithoutSession returns the scenario of a semaphore whose acquirer's session ends just before
// it enters the queue.
func SlotWithoutSession() Scenario {
	const (
		void   = "client 1 was granted a permit without a session"
		told   = "client 1 was notified of its loss"
		served = "client 3 was granted the permit"
	)
	return Scenario{
		Title:   "the session of a semaphore's client ends just before it is added to the holders",
		Source:  "the source of Consul's Semaphore",
		Shows:   "The client is granted a permit for a session that is over. No permit is lost.",
		TTL:     10 * time.Second,
		Clients: 3,
		Story: "Client 2 holds the only permit, client 1 waits. Client 2 releases; client 1's request to be added to the holders is delayed, and an " +
			"operator ends its session. The request arrives. Client 3 asks for the permit.",
		Lesson:   "A grant is worth no more than its session: check the loss channel before you begin to work, too.",
		Liveness: true,
		Cases: []Case{
			{Backend: "consul-semaphore", Expect: "safe", Facts: []string{void, told, served}},
		},
		Play: func(s *Stage) {
			c1, c2, c3 := s.Client(1), s.Client(2), s.Client(3)
			l2 := c2.Permit(1).Acquire()
			waiter := c1.Permit(1).AcquireLater()
			s.Queue.UntilLength(2)
			request := c1.Links().HoldRequests()
			l2.Release()
			request.UntilSomeHeld(0)
			s.Queue.EndSession(c1, 0)
			request.LetGo()
			waiter.Within(s.TTL)
			l1 := waiter.Wait()
			granted := l1.granted()
			s.Fact(void, l1 != nil)
			if l1.LostWithin(silence) {
				s.Fact(told, true)
				s.Measured("client 1 was notified of its loss", "%.3f s after the grant", time.Duration(s.script.Now()-granted).Seconds())
			}
			l3 := c3.Permit(1).Acquire()
			s.Fact(served, l3 != nil)
			l3.Release()
		},
	}
}

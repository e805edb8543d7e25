package scenarios

import "time"

// SlotWithoutSession returns the scenario of a semaphore whose acquirer's session ends just before
// it enters the queue.
func SlotWithoutSession() Scenario {
	const (
		void   = "client 1 was granted a permit without a session"
		told   = "client 1 was told its loss"
		served = "client 3 was granted the permit"
	)
	return Scenario{
		Title:   "the session of a semaphore's acquirer ends just before it is entered among the holders",
		Source:  "the Semaphore of github.com/hashicorp/consul/api, whose list of holders is replaced by compare-and-set whatever became of the session that is entered; derived from the source",
		Shows:   "The compare-and-set succeeds, and the caller is told that it has a permit, in the name of a session that is gone. It keeps nobody out, and the caller is told its loss at once: no permit is lost.",
		TTL:     10 * time.Second,
		Clients: 3,
		Story: "Of a semaphore with one permit client 2 has it, and client 1 waits. Client 2 releases; what client 1 sends next to be entered among the holders is on its way when an operator ends its session. " +
			"The request arrives. Client 3 asks for the permit.",
		Lesson:   "A grant is worth what the session is: look at the loss channel before the work begins, too.",
		Liveness: true,
		Cases: []Case{
			{Backend: "consul-semaphore", Expect: "safe", Facts: []string{void, told, served}},
		},
		Play: func(s *Stage) {
			c1, c2, c3 := s.Client(1), s.Client(2), s.Client(3)
			l2 := c2.Permit(1)
			waiter := c1.PermitLater(1)
			s.UntilQueued(2)
			request := c1.HoldRequests(s.all())
			c2.Release(l2)
			request.UntilSomeHeld(0)
			s.EndSession(c1, 0)
			request.LetGo()
			waiter.Within(s.TTL)
			l1 := waiter.Wait()
			granted := l1.granted()
			s.Fact(void, l1 != nil)
			if l1.LostWithin(silence) {
				s.Fact(told, true)
				s.Measured("client 1 was told its loss", "%.3f s after the grant", time.Duration(s.script.Now()-granted).Seconds())
			}
			l3 := c3.Permit(1)
			s.Fact(served, l3 != nil)
			c3.Release(l3)
		},
	}
}

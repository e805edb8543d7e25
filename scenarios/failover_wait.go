//go:build !wasip1 && !simulated

package scenarios

// FailoverWait returns the scenario of a grant that one replica has acknowledged while another is
// promoted.
func FailoverWait() Scenario {
	return Scenario{
		Title:  "one replica has acknowledged the grant, the other is promoted",
		Source: "the WAIT command's page",
		Shows:  "Nothing makes the replica that acknowledged the next primary.",
		Story: "One of two replicas is cut off. Client 1 sets the key, and WAIT 1 confirms one replica. The primary is killed, the other replica " +
			"promoted, and client 2 takes the lock there. If WAIT uses another connection of the pool, it counts a replica that never received the grant.",
		Lesson: "An acknowledgement helps only if those who acknowledge decide who leads next.",
		TTL:    longTTL,
		Cases: []Case{
			{Backend: "redis-wait", Replicated: true, Variant: "the other replica is promoted", Expect: "unsafe+double-grant"},
			{Backend: "redis-wait", Replicated: true, Variant: "no replica is reached", Expect: "safe", Facts: []string{"client 1 was refused without an acknowledgement"}},
			{Backend: "redis-wait-pooled", Replicated: true, Variant: "no replica is reached", Expect: "unsafe+double-grant"},
		},
		Play: func(s *Stage) {
			c1, c2 := s.Client(1), s.Client(2)
			c1.Warm()
			r := s.Replicas()
			r.UntilSynced()
			if s.Case.Variant == "no replica is reached" {
				r.Cut()
				l1 := c1.Try()
				s.Fact("client 1 was refused without an acknowledgement", l1 == nil)
				r.Failover()
				l2 := c2.Acquire()
				r.Windows(l1, l2, l2)
				l2.Release()
				return
			}
			r.CutOne()
			l1 := c1.Acquire()
			r.FailoverToCut()
			l2 := c2.Acquire()
			r.Windows(l1, l2, l2)
			l2.Release()
			l1.Release()
		},
	}
}

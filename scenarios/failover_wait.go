//go:build !wasip1 && !simulated

package scenarios

// FailoverWait returns the scenario of a grant that one replica has acknowledged while another is
// promoted.
func FailoverWait() Scenario {
	return Scenario{
		Title:  "one replica has acknowledged the grant, the other is promoted",
		Source: "the WAIT command's page of the Redis manual: WAIT does not make Redis a strongly consistent store",
		Shows:  "WAIT is not consensus: nothing makes the replica that acknowledged the next primary.",
		Story: "Two replicas, one of them cut off. Client 1 sets the key, and WAIT 1 answers that one replica has it. The primary is killed and the other replica promoted. " +
			"Client 2 takes the lock there. With the WAIT on another connection of the pool, a replica that has never heard of the grant counts.",
		Lesson: "An acknowledgement helps only if those who acknowledged decide who leads next.",
		TTL:    longTTL,
		Cases: []Case{
			{Backend: "redis-wait", Replicated: true, Variant: "the other replica is promoted", Expect: "unsafe+double-grant"},
			{Backend: "redis-wait", Replicated: true, Variant: "no replica is reached", Expect: "safe", Facts: []string{"client 1 was refused without an acknowledgement"}},
			{Backend: "redis-wait-pooled", Replicated: true, Variant: "no replica is reached", Expect: "unsafe+double-grant"},
		},
		Play: func(s *Stage) {
			c1, c2 := s.Client(1), s.Client(2)
			c1.Warm()
			s.UntilSynced()
			if s.Case.Variant == "no replica is reached" {
				r := s.CutReplicas()
				l1 := c1.Try()
				s.Fact("client 1 was refused without an acknowledgement", l1 == nil)
				r.Failover()
				l2 := c2.Acquire()
				r.Windows(l1, l2, l2)
				c2.Release(l2)
				return
			}
			r := s.CutOne()
			l1 := c1.Acquire()
			r.FailoverToCut()
			l2 := c2.Acquire()
			r.Windows(l1, l2, l2)
			c2.Release(l2)
			c1.Release(l1)
		},
	}
}

package scenarios

import "time"

// ResignAgain returns the scenario of a failed resignation and a second one.
func ResignAgain() Scenario {
	kept, yes := map[string]string{"session": "kept"}, "client 1's second resignation succeeded"
	return Scenario{
		Title:   "a leader resigns with a cancelled context, and then again",
		Source:  "etcd#22123: Resign forgets its key whatever the answer",
		Shows:   "The second resignation returns success without asking a server. The key stays with the session, and nobody else can lead.",
		TTL:     longTTL,
		Clients: 3,
		Story: "Client 1 leads. It resigns with a cancelled context and gets an error. It resigns again, and keeps its session alive. Client 2 " +
			"campaigns; later client 3 asks who leads.",
		Lesson:   "After an error of Resign, end the session.",
		Liveness: true,
		Cases: []Case{
			{Backend: "etcd-election", Variant: "session kept", Options: kept, Expect: "safe+deadlock", Facts: []string{yes}, Found: foundResignAgain()},
			{Backend: "etcd-election", Expect: "safe", Facts: []string{"client 2 was granted the lock"}},
			{Backend: "zookeeper-leader", Expect: "safe", Facts: []string{"client 2 was granted the lock"}},
		},
		Play: func(s *Stage) {
			c1, c2 := s.Client(1), s.Client(2)
			l1 := c1.Acquire()
			l1.ReleaseWithin(0)
			s.Fact(yes, l1.Release())
			free := c2.FreeIn()
			s.Client(3).Observe()
			s.Fact("client 2 was granted the lock", free)
		},
	}
}

// CompactedCampaign returns the scenario of a candidate whose watch ends because etcd has compacted
// the revision that it watches.
func CompactedCampaign() Scenario {
	told := "client 2 got an error"
	return Scenario{
		Title:   "the history that a candidate's watch needs is compacted during its campaign",
		Source:  "etcd#21128: Campaign leaves its key",
		Shows:   "The candidate gets an error, but its key stays in the queue. When its turn comes, nobody leads.",
		TTL:     longTTL,
		Clients: 3,
		Story: "Client 1 leads, client 2 campaigns behind it. etcd compacts its history, and client 2's connection breaks. The revision at which it " +
			"would resume its watch is gone, so Campaign returns an error. Client 1 resigns. Client 3 campaigns.",
		Lesson:   "After an error of Campaign, end the session.",
		Liveness: true,
		Cases: []Case{
			{Backend: "etcd-election", Variant: "session kept", Options: map[string]string{"session": "kept"}, Expect: "safe+deadlock", Facts: []string{told}, Found: foundCompactedCampaign()},
			{Backend: "etcd-election", Expect: "safe", Facts: []string{told, "client 3 was granted the lock"}},
		},
		Play: func(s *Stage) {
			c1, c2, c3 := s.Client(1), s.Client(2), s.Client(3)
			c2.Warm()
			l1 := c1.Acquire()
			campaign := c2.AcquireLater()
			s.Queue.UntilLength(2)
			for again := 0; again < 10 && !campaign.Answered(); again++ { // its watch may be missing at the first attempt
				s.Servers.Compact()
				c2.Links().Reset()
				campaign.Within(2 * time.Second)
			}
			s.Need("client 2's campaign ends", campaign.Answered())
			s.Fact(told, campaign.Wait() == nil)
			l1.Release()
			s.Fact("client 3 was granted the lock", c3.FreeIn())
		},
	}
}

package scenarios

import "time"

// ResignAgain returns the scenario of a failed resignation and a second one.
func ResignAgain() Scenario {
	kept, yes := map[string]string{"session": "kept"}, "client 1 was told that it has resigned"
	return Scenario{
		Title:   "a leader resigns with a context that is over, and then again",
		Source:  "etcd#22123 on go.etcd.io/etcd/client/v3/concurrency, whose Resign forgets its key whatever came of the request",
		Shows:   "The second resignation says yes and asks nobody: the key stays for as long as the session lives, and no one else can lead.",
		TTL:     longTTL,
		Clients: 3,
		Story: "Client 1 leads. It resigns with a context that is over, as that of a program is which is being stopped, and is told of the error. It resigns again. " +
			"Its program goes on and keeps the session alive. Client 2 campaigns; when it has waited for long, client 3 asks who leads.",
		Lesson:   "After an error of Resign end the session.",
		Liveness: true,
		Cases: []Case{
			{Backend: "etcd-election", Variant: "session kept", Options: kept, Expect: "safe+deadlock", Facts: []string{yes}, Found: foundResignAgain()},
			{Backend: "etcd-election", Expect: "safe", Facts: []string{"client 2 was granted the lock"}},
			{Backend: "zookeeper-leader", Expect: "safe", Facts: []string{"client 2 was granted the lock"}},
		},
		Play: func(s *Stage) {
			c1, c2 := s.Client(1), s.Client(2)
			l1 := c1.Acquire()
			c1.ReleaseWithin(l1, 0)
			s.Fact(yes, c1.Release(l1))
			free := c2.FreeIn()
			s.Client(3).Observe()
			s.Fact("client 2 was granted the lock", free)
		},
	}
}

// CompactedCampaign returns the scenario of a candidate whose watch ends because etcd has compacted
// the revision that it watches.
func CompactedCampaign() Scenario {
	told := "client 2 was told of an error"
	return Scenario{
		Title:   "the history that a candidate's watch needs is compacted while it campaigns",
		Source:  "etcd#21128 on go.etcd.io/etcd/client/v3/concurrency, whose Campaign returns the error of its watch and leaves its key",
		Shows:   "The caller was told that it does not lead, and its key stands in the queue for as long as its session lives: when its turn comes nobody leads.",
		TTL:     longTTL,
		Clients: 3,
		Story: "Client 1 leads, client 2 campaigns behind it. Others change keys of their own, and etcd compacts its history; then client 2's connection breaks. It connects again and would go on with its " +
			"watch where it was: that revision is gone, and Campaign returns the error. Its program goes on and keeps the session alive. Client 1 resigns. Client 3 campaigns.",
		Lesson:   "After an error of Campaign end the session.",
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
			s.UntilQueued(2)
			for again := 0; again < 10 && !campaign.Answered(); again++ { // its watch may be missing at the first attempt
				s.Compact()
				c2.Reset(s.all())
				campaign.Within(2 * time.Second)
			}
			s.Need("client 2's campaign ends", campaign.Answered())
			s.Fact(told, campaign.Wait() == nil)
			c1.Release(l1)
			s.Fact("client 3 was granted the lock", c3.FreeIn())
		},
	}
}

package scenarios

// ResignAgain is a resignation that failed, and another.
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

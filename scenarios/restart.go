package scenarios

import "time"

// restartTTL is longer than the restart of a server on a busy machine. No script waits for its end.
const restartTTL = 30 * time.Second

// restarts plays the scenarios of a node that returns at once: client 1 holds A, B and C; C is
// killed; client 2, which reaches C, D and E, requests the lock. A case that expects a grant must
// wait for it, because on a busy machine one round may come too late.
func restarts(s *Stage, empty bool, ask func(c2 *Client) *Lease) {
	c1, c2 := s.Client(1), s.Client(2)
	cut := c1.LinksTo("DE").Cut()
	l1 := c1.Acquire()
	c := s.Servers.Kill("C")
	c.Restart(empty)
	cut.Heal()
	c2.LinksTo("AB").Cut()
	l2 := ask(c2)
	s.Fact("client 2 was refused", l2 == nil)
	l2.Release()
	l1.Release()
}

// RestartWithoutPersistence returns the scenario of a node that restarts without its data.
func RestartWithoutPersistence() Scenario {
	return Scenario{
		Title:  "a node without persistence is killed and restarts at once",
		Source: "the Redlock page, \"Performance, crash recovery and fsync\"",
		Shows:  "A node that restarts empty votes twice.",
		Story: "Client 1 holds the lock on nodes A, B and C. C is killed and restarts without its data. Client 2, which cannot reach A and B, takes the " +
			"lock on C, D and E.",
		Lesson: "Keep a node that lost its data away for longer than the longest TTL, or let it persist its data.",
		TTL:    restartTTL,
		Cases:  []Case{{Backend: "redlock", Expect: "unsafe+double-grant"}},
		Play: func(s *Stage) {
			restarts(s, true, (*Client).Acquire)
		},
	}
}

// DelayedRestart returns the scenario of the same node, restarted after a TTL.
func DelayedRestart() Scenario {
	return Scenario{
		Title:  "a node without persistence stays away for longer than a TTL",
		Source: "the Redlock page, \"Performance, crash recovery and fsync\": delayed restarts",
		Shows:  "A node that returns after every lease it knew is over does no harm.",
		Story: "As restart-without-persistence, but C returns only when client 1's lease is over. Until then client 2 reaches only D and E, and is " +
			"refused.",
		Lesson: "The delay must be longer than every TTL in use.",
		Cases: []Case{{
			Backend: "redlock", Expect: "safe",
			Facts: []string{"client 2 was refused while C was away", "client 2 was granted the lock after it"},
		}},
		Play: func(s *Stage) {
			c1, c2 := s.Client(1), s.Client(2)
			c1.LinksTo("DE").Cut()
			l1 := c1.Acquire()
			c := s.Servers.Kill("C")
			c2.LinksTo("AB").Cut()
			s.Fact("client 2 was refused while C was away", c2.Try() == nil)
			l1.UntilOver()
			c.Restart(true)
			l2 := c2.Acquire()
			s.Fact("client 2 was granted the lock after it", l2 != nil)
			l2.Release()
		},
	}
}

// RestartWithPersistence returns the scenario of a node that restarts with its data.
func RestartWithPersistence() Scenario {
	return Scenario{
		Title:  "a node that persists its data is killed and restarts at once",
		Source: "the Redlock page, \"Performance, crash recovery and fsync\"",
		Shows:  "A node that remembers its keys does not vote twice.",
		Story:  "As restart-without-persistence, but the nodes run with appendfsync always, and C returns with its data.",
		Lesson: "Persistence survives kill -9. A power loss takes what was not synced, so locks need appendfsync always.",
		TTL:    restartTTL,
		Cases: []Case{{
			Backend: "redlock", Servers: map[string][]string{"redis": {"--appendfsync", "always"}},
			Expect: "safe", Facts: []string{"client 2 was refused"},
		}},
		Play: func(s *Stage) {
			restarts(s, false, (*Client).Try)
		},
	}
}

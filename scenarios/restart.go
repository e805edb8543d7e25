package scenarios

import "time"

// restartTTL is longer than the restart of a server on a busy machine. No script waits for its end.
const restartTTL = 30 * time.Second

// restarts plays the scenarios of a node that returns at once: client 1 holds A, B and C; C is
// killed; client 2, which reaches C, D and E, requests the lock. A case that expects a grant must
// wait for it, because on a busy machine one round may come too late.
func restarts(s *Stage, empty bool, ask func(c2 *Client) *Lease) {
	c1, c2 := s.Client(1), s.Client(2)
	cut := c1.Cut("DE")
	l1 := c1.Acquire()
	c := s.Kill("C")
	c.Restart(empty)
	cut.Heal()
	c2.Cut("AB")
	l2 := ask(c2)
	s.Fact("client 2 was refused", l2 == nil)
	c2.Release(l2)
	c1.Release(l1)
}

// RestartWithoutPersistence returns the scenario of a node that restarts without its data.
func RestartWithoutPersistence() Scenario {
	return Scenario{
		Title:  "a node without persistence is killed and back at once",
		Source: "Salvatore Sanfilippo (antirez), \"Is Redlock safe?\" (2016) and the Redlock page of the Redis manual, \"Performance, crash recovery and fsync\"",
		Shows:  "A node that restarts empty votes twice.",
		Story: "Client 1 holds the lock on nodes A, B and C. C is killed and restarts without its data at once. " +
			"Client 2, who cannot reach A and B, takes the lock on C, D and E.",
		Lesson: "Keep a node that lost its data out for longer than the longest TTL, or make it keep its data.",
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
		Source: "the Redlock page of the Redis manual, \"Performance, crash recovery and fsync\": delayed restarts",
		Shows:  "A node that comes back after every lease it knew is over does no harm.",
		Story: "As restart-without-persistence; but C comes back, empty, only when the lease of client 1 is over. " +
			"While C is away, client 2 reaches D and E alone and is refused.",
		Lesson: "A delayed restart works as long as the delay is longer than every TTL in use.",
		Cases: []Case{{
			Backend: "redlock", Expect: "safe",
			Facts: []string{"client 2 was refused while C was away", "client 2 was granted the lock after it"},
		}},
		Play: func(s *Stage) {
			c1, c2 := s.Client(1), s.Client(2)
			c1.Cut("DE")
			l1 := c1.Acquire()
			c := s.Kill("C")
			c2.Cut("AB")
			s.Fact("client 2 was refused while C was away", c2.Try() == nil)
			s.UntilOver(l1)
			c.Restart(true)
			l2 := c2.Acquire()
			s.Fact("client 2 was granted the lock after it", l2 != nil)
			c2.Release(l2)
		},
	}
}

// RestartWithPersistence returns the scenario of a node that restarts with its data.
func RestartWithPersistence() Scenario {
	return Scenario{
		Title:  "a node that keeps its data is killed and back at once",
		Source: "the Redlock page of the Redis manual, \"Performance, crash recovery and fsync\"",
		Shows:  "A node that remembers its keys does not vote twice. This shows what persistence does; what fsync adds needs a power loss, which kill -9 is not.",
		Story:  "As restart-without-persistence; but the nodes run with appendfsync always, and C comes back with its data.",
		Lesson: "Persistence saves what kill -9 takes; a power loss takes what was not synced, so for locks it must be appendfsync always.",
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

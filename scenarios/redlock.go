package scenarios

import "time"

// ClockJump returns the scenario of a node whose clock jumps.
func ClockJump() Scenario {
	return Scenario{
		Title:  "the clock of one node jumps, and the lock is granted twice",
		Source: "Kleppmann, \"How to do distributed locking\" (2016), \"Breaking Redlock with bad timings\"",
		Shows:  "Redlock trusts its nodes' clocks: after one jump, two clients hold a majority.",
		TTL:    longTTL,
		Story: "Client 1 takes the lock on nodes A, B and C; it cannot reach D and E. The clock of C jumps ahead by more than the TTL, and C drops the " +
			"key. Client 2, which cannot reach A and B, takes the lock on C, D and E.",
		Lesson: "If a lock must be right, no clock may decide who holds it.",
		Cases: []Case{
			{Backend: "redlock", Variant: "a jump of a TTL and a second", Expect: "unsafe+double-grant"},
			{Backend: "redlock", Variant: "a jump of 10 ms", Expect: "safe", Facts: []string{"client 2 was refused"}},
		},
		Play: func(s *Stage) {
			c1, c2 := s.Client(1), s.Client(2)
			cut := c1.LinksTo("DE").Cut()
			l1 := c1.Acquire()
			jump := s.TTL + time.Second
			if s.Case.Variant == "a jump of 10 ms" {
				jump = 10 * time.Millisecond
			}
			s.Servers.Jump("C", jump)
			cut.Heal()
			c2.LinksTo("AB").Cut()
			l2 := c2.Try()
			s.Fact("client 2 was refused", l2 == nil)
			l2.Release()
			l1.Release()
		},
	}
}

// lateReplies returns the cases of replies that are read after the TTL.
func lateReplies(nocheck bool) []Case {
	cases := []Case{{Backend: "redlock", Expect: "safe", Facts: []string{"client 1 was refused by its elapsed-time check"}}}
	if nocheck {
		cases = append([]Case{{Backend: "redlock-nocheck", Options: slow(), Expect: "unsafe+double-grant"}}, cases...)
	}
	for i := range cases {
		cases[i].Options = slow()
	}
	return cases
}

// grantedExpired is the result of a lock that reports the end of its validity and does not check
// it.
const grantedExpired = "client 1 was granted a lock that had expired"

// slow makes the timeout of one node longer than the pause.
func slow() map[string]string { return map[string]string{"node-timeout": "1m"} }

// PauseBeforeReplies returns the scenario of a client that is stopped before it reads the replies.
func PauseBeforeReplies() Scenario {
	return Scenario{
		Title:  "a client is stopped between the nodes' answers and reading them",
		Source: "antirez, \"Is Redlock safe?\" (2016), answering Kleppmann",
		Shows:  "antirez is right: checking the elapsed time after the replies are read prevents this. A Redlock without that check fails.",
		Story: "Client 1 sends its requests to all nodes, and is stopped while their answers are on the way. A TTL passes and client 2 takes the lock. " +
			"Client 1 resumes and reads that a majority agreed.",
		Lesson: "Count a lease from before the request, never from the reply.",
		Cases:  lateReplies(true),
		Play: func(s *Stage) {
			c1, c2 := s.Client(1), s.Client(2)
			c1.Warm()
			replies := c1.LinksTo("ABCDE").HoldReplies()
			acquire := c1.TryLater(longest)
			replies.UntilHeld()
			c1.Process.Stop()
			replies.LetGo()
			s.Probe.UntilFree()

			l2 := c2.Acquire()
			c1.Process.Continue()
			l1 := acquire.Wait()
			s.Fact("client 1 was refused by its elapsed-time check", c1.RefusedBy("elapsed-time check"))
			s.Fact(grantedExpired, l1 != nil && !l1.Ask())
			l1.Release()
			l2.Release()
		},
	}
}

// RecheckTime returns the scenario of a slow network against the check of the elapsed time.
func RecheckTime() Scenario {
	return Scenario{
		Title:  "the answers take longer than the TTL, and the client compares times before and after",
		Source: "antirez, \"Is Redlock safe?\" (2016)",
		Shows:  "A delay before the client has its answers does no harm, because it takes the time before and after.",
		Story: "The network delays the nodes' answers to client 1 for longer than the TTL. Client 2 takes the lock meanwhile. Client 1 gets its answers " +
			"and checks the clock.",
		Lesson: "Take the time before you ask, and give up if the answers took too long.",
		Cases:  lateReplies(false),
		Play: func(s *Stage) {
			c1, c2 := s.Client(1), s.Client(2)
			c1.Warm()
			replies := c1.LinksTo("ABCDE").HoldReplies()
			acquire := c1.TryLater(longest)
			replies.UntilHeld()
			s.Probe.UntilFree()

			l2 := c2.Acquire()
			replies.LetGo()
			l1 := acquire.Wait()
			s.Fact("client 1 was refused by its elapsed-time check", c1.RefusedBy("elapsed-time check"))
			l1.Release()
			l2.Release()
		},
	}
}

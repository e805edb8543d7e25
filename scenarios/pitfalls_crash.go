package scenarios

import (
	"errors"
	"time"

	"locktorture/harness"
	"locktorture/locks"
)

// crashTTL shortens the waits of these scripts.
const crashTTL = time.Second

// CrashHolder returns the scenario of a holder that dies.
func CrashHolder() Scenario {
	return Scenario{
		Title:  "the holder is killed",
		Source: "the SETNX command's page",
		Shows:  "A lock without an expiry outlives its holder. One with an expiry is free after a TTL.",
		Story:  "Client 1 takes the lock and is killed. Client 2 waits longer than the lock may stay taken.",
		Lesson: "Every lock needs an end that does not depend on its holder: an expiry, a session, a connection.",
		TTL:    crashTTL,
		Cases: []Case{
			{Backend: "redis-setnx", Expect: "safe+deadlock", Facts: []string{"client 2 was refused"}},
			{Backend: "redis-set", Expect: "safe", Facts: []string{"client 2 was granted the lock"}},
			{Backend: "redlock", Expect: "safe", Facts: []string{"client 2 was granted the lock"}},
			{Backend: "redis-watchdog", Expect: "safe", Facts: []string{"client 2 was granted the lock"}},
			{Backend: "etcd-concurrency", Expect: "safe", Facts: []string{"client 2 was granted the lock"}},
			{Backend: "zookeeper", Expect: "safe", Facts: []string{"client 2 was granted the lock"}},
			{Backend: "mysql-unique", Expect: "safe+deadlock", Facts: []string{"client 2 was refused"}},
			{Backend: "mysql-unique-ttl", Expect: "safe", Facts: []string{"client 2 was granted the lock"}},
			{Backend: "mysql-get-lock", Expect: "safe", Facts: []string{"client 2 was granted the lock"}},
			{Backend: "postgres-advisory", Expect: "safe", Facts: []string{"client 2 was granted the lock"}},
			{Backend: "local", Expect: "safe", Facts: []string{"client 2 was granted the lock"}},
		},
		Liveness: true,
		Play: func(s *Stage) {
			c1, c2 := s.Client(1), s.Client(2)
			c1.Acquire()
			c1.Process.Kill()
			c2.waitLong()
		},
	}
}

// waitsAgain is how often a client waits again if the outcome of its wait is unknown, such as when a
// busy server answers the cancel of a waiting query too late.
const waitsAgain = 2

// waitLong waits for longer than the lock may stay taken. A wait of unknown outcome
// shows nothing about the lock.
func (c *Client) waitLong() {
	s := c.stage
	began := s.script.Now()
	l := c.waitOnce()
	for again := 0; l == nil && again < waitsAgain && errors.Is(c.refusal, harness.ErrUnknown) && !s.over(); again++ {
		l = c.waitOnce()
	}
	s.Fact("client 2 was refused", l == nil)
	s.Fact("client 2 was granted the lock", l != nil)
	if l != nil {
		s.Measured("client 2 waited", "%.2f s", time.Duration(s.script.Now()-began).Seconds())
	}
	l.Release()
}

// waitOnce does one such wait. Stalls of the machine are not counted.
func (c *Client) waitOnce() (l *Lease) {
	s := c.stage
	ctx, cancel := s.calmly(s.freeWait())
	defer cancel()
	for l == nil && !s.over() && ctx.Err() == nil { // repeated if a request was lost
		l = c.acquireUntil(ctx, s.Lock, c.scripted.Acquire)
	}
	return l
}

// CrashBetween returns the scenario of a client that dies between two commands.
func CrashBetween() Scenario {
	deadlock := []string{"the key has no expiry", "client 2 was refused"}
	free := []string{"client 2 was granted the lock"}
	return Scenario{
		Title:  "a client is killed between SETNX and EXPIRE",
		Source: "Josiah Carlson, \"Redis in Action\", section 6.2.5",
		Shows:  "If the expiry is a command of its own, a lock can be left without it. The book's repair does not help.",
		Story: "Client 1's first command has set the key, and the client is killed before it reads the answer. Client 2 waits longer than the lock may " +
			"stay taken.",
		Lesson: "Set the key and its expiry in one command or script.",
		TTL:    crashTTL,
		Cases: []Case{
			{Backend: "redis-setnx-expire", Expect: "safe+deadlock", Facts: deadlock},
			{Backend: "redis-watch", Expect: "safe+deadlock", Facts: deadlock},
			{Backend: "redis-watch-repaired", Expect: "safe", Facts: free},
			{Backend: "redis-lua", Expect: "safe", Facts: free},
			{Backend: "redis-set", Expect: "safe", Facts: free},
		},
		Liveness: true,
		Play: func(s *Stage) {
			c1, c2 := s.Client(1), s.Client(2)
			c1.Warm()
			answer := c1.LinksTo("A").HoldReplies()
			c1.AcquireLater()
			answer.UntilHeld()
			s.Probe.Until("the key is set", s.Lock, func(sights []locks.Sight) bool {
				s.Fact("the key has no expiry", taken(sights) && sights[0].Left < 0)
				return taken(sights)
			})
			c1.Process.Kill()
			answer.LetGo()
			c2.waitLong()
		},
	}
}

// ForgottenRelease returns the scenario of a holder that never releases.
func ForgottenRelease() Scenario {
	return Scenario{
		Title:  "the holder forgets to release",
		Source: "a common mistake: no finally",
		Shows:  "With an expiry nothing is violated, but others wait for a whole TTL each time.",
		Story:  "Client 1 takes the lock, works, and does not release. Client 2 waits.",
		Lesson: "Release in a defer.",
		Cases: []Case{
			{Backend: "redis-set", Expect: "safe", Facts: []string{"client 2 was granted the lock"}},
			{Backend: "redlock", Expect: "safe", Facts: []string{"client 2 was granted the lock"}},
		},
		Liveness: true,
		Play: func(s *Stage) {
			c1, c2 := s.Client(1), s.Client(2)
			l1 := c1.Acquire()
			l1.Write(l1.Read() + 1)
			c2.waitLong()
		},
	}
}

package scenarios

import (
	"context"
	"slices"
	"time"
)

// The use of the Lease of Kubernetes by client-go's leader election. Its times are parts of the
// TTL: a renewal is tried for 2/3 of it, with pauses of 2/15, and a request may take a third.

// LateRenewal returns the scenario of a leader that learns late of its renewal, and then of no
// other.
func LateRenewal() Scenario {
	return Scenario{
		Title:   "a leader learns late that its lease was renewed, and is cut off",
		Source:  "the source of client-go's leaderelection",
		Shows:   "The leader believes in its lease for longer than the others wait, and gives it back before it reports the loss.",
		TTL:     6 * time.Second,
		Clients: 4,
		Story: "Client 1 leads and reads, the others campaign. The reply to a renewal is delayed for a quarter of the TTL; then client 1 is cut off. " +
			"Another leads a TTL after it saw that renewal, and counts. Client 1, which was not notified, writes what it had computed.",
		Lesson: "Fence each change with the term, or end the process when no renewal was confirmed in time.",
		Cases: []Case{
			{Backend: "kubernetes-lease", Expect: "unsafe+late-notice+lost-update", Found: foundLateRenewal()},
			{Backend: "kubernetes-lease", Variant: "fenced store", Fenced: true, Expect: "fenced+late-notice"},
		},
		Play: func(s *Stage) {
			c1 := s.Client(1)
			l1 := c1.Acquire()
			others := s.campaigns(2, 3, 4)
			n := l1.Read()
			reply := c1.Links().HoldReplies()
			reply.UntilSomeHeld(0)
			s.After("the reply is late", s.script.Now()+int64(s.TTL/4))
			reply.LetGo()
			s.After("it was read", s.script.Now()+int64(s.TTL/50))
			c1.Links().Cut()
			l2 := others.next()
			granted := l2.granted()
			l2.count()
			if !l1.LostWithin(0) {
				l1.Write(n + 1)
			}
			if l1.LostWithin(2 * s.TTL) {
				s.Measured("client 1 was notified of its loss", "%.2f s after another led, or before it", time.Duration(s.script.Now()-granted).Seconds())
			}
		},
	}
}

// ResignAtWork returns the scenario of a leader that resigns before its work has ended.
func ResignAtWork() Scenario {
	const over = "client 1's work was over before another led"
	return Scenario{
		Title:  "a leader resigns while its work goes on",
		Source: "kubernetes#139991: ReleaseOnCancel does not wait for OnStartedLeading",
		Shows:  "The lease is free at once, and the next leader works beside the last step of the previous one.",
		TTL:    longTTL,
		Story: "Client 1 leads and reads, client 2 campaigns. The context of client 1's election is cancelled; the library gives the lease back, and " +
			"the callback runs for another half TTL. Client 2 leads and counts. The callback writes what it had computed.",
		Lesson: "Cancel when the work is over, or leave ReleaseOnCancel off and let the next leader wait for a TTL.",
		Cases: []Case{
			{Backend: "kubernetes-lease", Expect: "unsafe+lost-update", Found: foundResignAtWork()},
			{Backend: "kubernetes-lease", Variant: "not released", Options: map[string]string{"release": "kept"}, Expect: "safe", Facts: []string{over}},
		},
		Play: func(s *Stage) {
			c1 := s.Client(1)
			l1 := c1.Acquire()
			waiter := s.Client(2).AcquireLater()
			n := l1.Read()
			resigned := s.script.Now()
			l1.Release()
			waiter.Within(s.TTL / 2)
			if waiter.Answered() {
				waiter.Wait().count()
				l1.Write(n + 1)
				return
			}
			s.After("the callback's last step", resigned+int64(s.TTL/2))
			l1.Write(n + 1)
			s.Fact(over, !waiter.Answered())
			waiter.Wait().count()
		},
	}
}

// ReleaseOfNext returns the scenario of a leader that releases, late, the lease of its successor.
func ReleaseOfNext() Scenario {
	const kept = "the next leader kept its lease"
	return Scenario{
		Title:   "a leader that could not renew is stopped, and gives back the next leader's lease",
		Source:  "the source of client-go's leaderelection: release trusts its old record",
		Shows:   "The fresh version lets the write through: the next leader's lease is emptied, and a third leads beside it.",
		TTL:     longTTL,
		Clients: 4,
		Story: "Client 1 leads, the others campaign. Client 1 is cut off, and stopped while it tries to renew. Another leads and reads; its next " +
			"renewal is delayed. Client 1 resumes with its network, its time to renew is over, and it releases the lease. A third leads and counts; the renewal " +
			"arrives. The second writes what it had computed.",
		Lesson: "A release must compare the holder that it has just read.",
		Cases: []Case{
			{
				Backend: "kubernetes-lease", Expect: "unsafe+late-notice+lost-update", Found: foundReleaseOfNext(),
				Race: "where in its tries to renew the leader is stopped",
			},
			{Backend: "kubernetes-lease", Variant: "not released", Options: map[string]string{"release": "kept"}, Expect: "safe", Facts: []string{kept}},
		},
		Play: func(s *Stage) {
			c1 := s.Client(1)
			c1.Acquire()
			others := s.campaigns(2, 3, 4)
			cut := c1.Links().Cut()
			s.After("client 1 tries to renew", s.script.Now()+int64(s.TTL/3))
			c1.Process.Stop()
			l2 := others.next()
			if l2 == nil {
				return
			}
			n := l2.Read()
			others.waiting = slices.DeleteFunc(others.waiting, (*Pending).Answered)
			renewal := l2.client.Links().HoldRequests()
			renewal.UntilSomeHeld(0)
			cut.Heal()
			c1.Links().Reset()
			c1.Process.Continue()
			others.soon()
			l3 := others.leader()
			renewal.LetGo()
			if l3 == nil {
				s.Fact(kept, !l2.LostWithin(0))
				return
			}
			l3.count()
			if !l2.LostWithin(0) {
				l2.Write(n + 1)
			}
			s.After("a notice would have come", s.script.Now()+int64(noticeTime))
		},
	}
}

// HealthyLeader returns the scenario of a leader that renews in time, with a lease of one second.
func HealthyLeader() Scenario {
	return Scenario{
		Title:  "a leader renews its lease of a second in time, and others wait",
		Source: "client-go's leaderelection, whose record has whole seconds",
		Shows: "Renewals within one second look alike, so a candidate may take the lease of a healthy leader. Any lease may be taken up to a second " +
			"early.",
		TTL:     time.Second,
		Clients: 4,
		Story: "Client 1 leads, reads and works; the others campaign for half a minute. There is no fault. If another leads, it counts, and client 1, " +
			"which was not notified, writes what it had computed.",
		Lesson: "Let LeaseDuration exceed RenewDeadline by more than a second and two pauses, as Kubernetes' own 15 s and 10 s do.",
		Cases: []Case{
			{
				Backend: "kubernetes-lease", Expect: "unsafe+late-notice+lost-update", Found: foundHealthyLeader(),
				Race: "a renewal must come later in its second than the candidate's look at the one before",
			},
		},
		Play: func(s *Stage) {
			c1 := s.Client(1)
			l1 := c1.Acquire()
			n := l1.Read()
			others := s.campaigns(2, 3, 4)
			for end := s.script.Now() + int64(30*time.Second); s.script.Now() < end && others.leader() == nil && !s.over(); {
				others.waiting[0].Within(s.TTL / 100)
			}
			l2 := others.leader()
			if l2 == nil {
				l1.Write(n + 1)
				l1.Release()
				return
			}
			l2.count()
			if !l1.LostWithin(0) {
				l1.Write(n + 1)
			}
			granted := l2.granted()
			if l1.LostWithin(2 * s.TTL) {
				s.Measured("client 1 was notified of its loss", "%.2f s after another led", time.Duration(s.script.Now()-granted).Seconds())
			}
		},
	}
}

// candidates are clients that campaign to lead.
type candidates struct {
	stage   *Stage
	waiting []*Pending
}

// campaigns makes some clients start to campaign.
func (s *Stage) campaigns(clients ...int) candidates {
	c := candidates{stage: s}
	for _, n := range clients {
		c.waiting = append(c.waiting, s.Client(n).AcquireLater())
	}
	return c
}

// next waits until one of the candidates leads. The script cannot continue without it.
func (c candidates) next() *Lease {
	s := c.stage
	s.Until("another leads", 4*s.TTL, func(context.Context) (bool, error) {
		return slices.ContainsFunc(c.waiting, (*Pending).Answered), nil
	})
	l := c.leader()
	s.Need("another leads", l != nil)
	return l
}

// soon waits for at most half a TTL until one of the candidates leads.
func (c candidates) soon() {
	s := c.stage
	end := s.script.Now() + int64(s.TTL/2)
	s.Until("another leads, or half a TTL is over", s.TTL/2, func(context.Context) (bool, error) {
		return s.script.Now() > end || slices.ContainsFunc(c.waiting, (*Pending).Answered), nil
	})
}

// leader returns the lease of a leading candidate, or nil.
func (c candidates) leader() *Lease {
	for _, p := range c.waiting {
		if p.Answered() {
			return p.Wait()
		}
	}
	return nil
}

// count reads the counter under a lease and writes the next number.
func (l *Lease) count() {
	if l != nil {
		l.Write(l.Read() + 1)
	}
}

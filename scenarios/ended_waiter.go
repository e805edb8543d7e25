package scenarios

import "time"

// endedTTL is so long that no heartbeat, sent every third of it, reports an ended session during
// the script.
const endedTTL = 9 * time.Second

// aloneFact states that a waiter without a place in the queue was not served.
const aloneFact = "client 2 was not granted the lock beside client 3"

// ZombieCandidate returns the scenario of a candidate whose session is ended while it waits to
// lead.
func ZombieCandidate() Scenario {
	return Scenario{
		Title:   "a candidate's session is ended on the servers, and the leader resigns",
		Source:  "etcd#11051: Campaign does not check its own key",
		Shows:   "A candidate that can no longer win is granted the leadership of a term that is over, while the next one leads.",
		TTL:     endedTTL,
		Clients: 3,
		Story: "Client 1 leads, client 2 campaigns behind it, client 3 behind client 2. An operator ends client 2's session; the message about it is " +
			"delayed. Client 1 resigns, client 3 leads and reads. Then client 2 learns that client 1's key is gone.",
		Lesson: "After every wait, check that your own key is still there.",
		Cases: []Case{
			{Backend: "etcd-election", Expect: "unsafe+zombie-candidate+late-notice+lost-update", Found: foundZombieCandidate()},
			{Backend: "etcd-concurrency", Expect: "safe", Facts: []string{aloneFact}},
			{Backend: "zookeeper-leader", Expect: "safe", Facts: []string{aloneFact}},
		},
		Play: func(s *Stage) {
			l1, waiter, next := s.queueOfThree()
			news := s.Client(2).Links().HoldReplies()
			s.Queue.EndSession(s.Client(2), 1)
			l1.Release()
			l3 := next.Wait()
			news.UntilSomeHeld(0)
			n := l3.Read()
			news.LetGo()
			s.countUnder(waiter, l3, n)
		},
	}
}

// EndedWriter returns the scenario of a writer whose session is ended while it waits.
func EndedWriter() Scenario {
	const alone = "clients 2 and 3 were not granted the lock together"
	return Scenario{
		Title:   "a waiting writer's session is ended on the servers, and the holder releases",
		Source:  "etcd#16221: RWMutex does not check its own key",
		Shows:   "A writer without a place in the queue is let in, and excludes nobody.",
		TTL:     endedTTL,
		Clients: 3,
		Story: "Client 1 writes, client 2 waits to write. An operator ends client 2's session. Client 1 releases; client 2 is granted the lock and " +
			"reads. Client 3 is granted it too, and counts. Client 2 writes what it had computed.",
		Lesson: "After every wait, check that your own key is still there.",
		Cases: []Case{
			{Backend: "etcd-rw", Expect: "unsafe+late-notice+lost-update", Found: foundEndedWriter()},
			{Backend: "etcd-concurrency", Expect: "safe", Facts: []string{alone}},
			{Backend: "zookeeper-rw", Expect: "safe", Facts: []string{alone}},
		},
		Play: func(s *Stage) {
			c1, c2, c3 := s.Client(1), s.Client(2), s.Client(3)
			l1 := c1.Acquire()
			waiter := c2.AcquireLater()
			s.Queue.UntilLength(2)
			s.Queue.EndSession(c2, 1)
			l1.Release()
			l2 := waiter.Wait()
			n := l2.Read()
			l3 := c3.Try()
			l3.Write(l3.Read() + 1)
			s.Fact(alone, l2 == nil || l3 == nil)
			if l2 != nil && l3 != nil {
				s.After("a notice would have come", s.script.Now()+int64(noticeTime))
			}
			l2.Write(n + 1)
			l2.Release()
			l3.Release()
		},
	}
}

// queueOfThree makes client 1 take the lock, client 2 wait for it and client 3 wait behind client
// 2.
func (s *Stage) queueOfThree() (first *Lease, second, third *Pending) {
	first = s.Client(1).Acquire()
	second = s.Client(2).AcquireLater()
	s.Queue.UntilLength(2)
	third = s.Client(3).AcquireLater()
	s.Queue.UntilLength(3)
	return first, second, third
}

// countUnder makes client 2 count if it is granted the lock after all while client 3 holds it, and
// client 3 write the value that it had computed.
func (s *Stage) countUnder(waiter *Pending, l3 *Lease, n int) {
	waiter.Within(s.TTL / 6)
	if waiter.Answered() {
		if l2 := waiter.Wait(); l2 != nil {
			l2.Write(l2.Read() + 1)
			s.After("a notice would have come", s.script.Now()+int64(noticeTime))
			l3.Write(n + 1)
			return
		}
	}
	s.Fact(aloneFact, true)
	l3.Write(n + 1)
	l3.Release()
}

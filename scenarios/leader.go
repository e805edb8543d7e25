package scenarios

import (
	"time"

	"locktorture/nemesis"
)

// LeaderKill returns the scenario of a consensus service that loses its leader while a client holds
// the lock.
func LeaderKill() Scenario {
	var cases []Case
	for _, backend := range []string{"etcd", "zookeeper", "consul"} {
		for _, mode := range []string{nemesis.LeaderKill, nemesis.LeaderStop, nemesis.LeaderCut} {
			cases = append(cases, Case{Backend: backend, Variant: mode, Fenced: true, Expect: "safe", Facts: []string{"client 2 was granted the lock"}})
		}
	}
	return Scenario{
		Title:  "the leader of a consensus service is lost while a client holds the lock",
		Source: "the counterpart to the fail-overs of Redis",
		Shows:  "The new leader knows the lock and its token, so nothing is violated. The price is the time of an election.",
		Story: "Client 1 takes the lock and reads; the leader is killed, stopped, or cut off. When another leads, client 1 writes and releases. Client " +
			"2, which waits, is granted the lock.",
		Lesson: "If a lock must be right, keep it where a majority agrees, and use its tokens.",
		TTL:    4 * time.Second,
		Cases:  cases,
		Play: func(s *Stage) {
			c1, c2 := s.Client(1), s.Client(2)
			l1 := c1.Acquire()
			n := l1.Read()
			began := s.script.Now()
			waiter := c2.AcquireLater()
			s.Servers.Strike(nemesis.Leader{}, nemesis.Step{Mode: s.Case.Variant, Nodes: all(len(s.Servers.cluster.Nodes))})
			l1.Write(n + 1)
			l1.Release()
			l2 := waiter.Wait()
			if l2 == nil {
				l2 = c2.Acquire() // its request was lost with the leader: it asks again
			}
			s.Fact("client 2 was granted the lock", l2 != nil)
			s.Measured("granted again", "%.2f s after the leader was struck", time.Duration(s.script.Now()-began).Seconds())
			l2.Write(l2.Read() + 1)
			l2.Release()
		},
	}
}

// noticeTime is much longer than the delivery of a notice.
const noticeTime = 500 * time.Millisecond

// DeadWaiter returns the scenario of a waiter that dies during the hold.
func DeadWaiter() Scenario {
	return Scenario{
		Title:   "a waiter dies, and the one behind it believes that it is next",
		Source:  "tutorials that omit a step of the ZooKeeper recipe",
		Shows:   "That the predecessor's node is gone does not mean that the predecessor had the lock.",
		Clients: 3,
		TTL:     4 * time.Second,
		Story: "Client 1 holds the lock, client 2 waits, client 3 waits behind client 2. Client 2 is killed, and its node goes with its session. " +
			"Without a second look, client 3 takes the lock.",
		Lesson: "When the watch fires, read the whole queue again. Only the first holds the lock.",
		Cases: []Case{
			{Backend: "zookeeper-norecheck", Expect: "unsafe+late-notice+lost-update"},
			{Backend: "zookeeper", Expect: "safe", Facts: []string{"client 3 waited on"}},
			{Backend: "zookeeper-herd", Expect: "safe", Facts: []string{"client 3 waited on"}},
		},
		Play: func(s *Stage) {
			c1, c2, c3 := s.Client(1), s.Client(2), s.Client(3)
			l1 := c1.Acquire()
			n := l1.Read()
			c2.AcquireLater()
			s.Queue.UntilLength(2)
			third := c3.AcquireLater()
			s.Queue.UntilLength(3)
			c2.Process.Kill()
			s.Queue.UntilLength(2)
			third.Within(s.TTL)
			if third.Answered() {
				l3 := third.Wait()
				l3.Write(l3.Read() + 1)
				s.After("a notice would have come", s.script.Now()+int64(noticeTime))
				l1.Write(n + 1)
				return
			}
			s.Fact("client 3 waited on", true)
			l1.Write(n + 1)
			l1.Release()
			l3 := third.Wait()
			l3.Write(l3.Read() + 1)
			l3.Release()
		},
	}
}

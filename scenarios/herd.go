//go:build !wasip1 && !simulated

package scenarios

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"locktorture/cluster"
)

// The numbers of waiters of the herd at which a hand-over is measured, and the largest number of
// hand-overs for each.
const (
	herdWaiters   = 100
	herdHandovers = 4
)

// growsFact and flatFact are the facts that a herd must show, and that its absence must show.
const (
	growsFact = "the work of a hand-over grows with the waiters"
	flatFact  = "the work of a hand-over does not grow with the waiters"
)

// Herd returns the scenario that measures the cost of a hand-over on the servers.
func Herd() Scenario {
	return Scenario{
		Title:  "how much work is a hand-over when many wait?",
		Source: "the ZooKeeper recipes, on the herd effect",
		Shows:  "If every waiter watches the queue, each release wakes them all. If each watches its predecessor, it wakes one.",
		Story: "A hundred clients queue up and release one after another. Measured are the servers' messages between two grants, and the time in which " +
			"nobody holds the lock.",
		Lesson:    "Watch only the node before yours.",
		TTL:       15 * time.Second, // a session is renewed every third of it, and the renewals count as messages
		Clients:   herdWaiters + 1,
		InProcess: true,
		Cases: []Case{
			{Backend: "zookeeper-herd", Expect: "safe", Facts: []string{growsFact}},
			{Backend: "zookeeper", Expect: "safe", Facts: []string{flatFact}},
		},
		Play: func(s *Stage) {
			holder := s.Client(1).Acquire()
			var queue []*Pending
			for n := range herdWaiters {
				queue = append(queue, s.Client(n+2).AcquireLater())
				s.Queue.UntilLength(n + 2)
			}
			costs := map[int]float64{}
			for _, waiters := range []int{100, 50, 10, 2} {
				for len(queue) > waiters {
					holder, queue = s.handOver(holder, queue)
				}
				before, began := s.Servers.received(), s.script.Now()
				handovers := min(herdHandovers, waiters)
				for range handovers {
					holder, queue = s.handOver(holder, queue)
				}
				window := time.Duration((s.script.Now() - began) / int64(handovers))
				costs[waiters] = float64(s.Servers.received()-before) / float64(handovers)
				s.Measured(fmt.Sprintf("%d waiters", waiters), "%.0f messages and %v a hand-over", costs[waiters], window.Round(100*time.Microsecond))
			}
			if holder == nil {
				return
			}
			holder.Release()
			s.Fact(growsFact, costs[100] > 4*costs[10])
			s.Fact(flatFact, costs[100] < 4*costs[10])
		},
	}
}

// handOver releases the lock and waits for the next grant.
func (s *Stage) handOver(holder *Lease, queue []*Pending) (*Lease, []*Pending) {
	if holder == nil || len(queue) == 0 {
		s.stick("nobody holds the lock")
		return holder, nil
	}
	holder.Release()
	next := queue[0].Wait()
	s.Need("the next in the queue is granted the lock", next != nil)
	if next == nil {
		return holder, nil
	}
	return next, queue[1:]
}

// received returns the number of messages that all servers have received.
func (v *Servers) received() int {
	sum := 0
	v.stage.step("count messages", func(ctx context.Context) error {
		for _, n := range v.cluster.Nodes {
			text, err := cluster.AskServing(ctx, n.Addr(), "mntr")
			if err != nil {
				return err
			}
			for line := range strings.Lines(text) {
				if value, ok := strings.CutPrefix(line, "zk_packets_received"); ok {
					count, err := strconv.Atoi(strings.TrimSpace(value))
					if err != nil {
						return err
					}
					sum += count
				}
			}
		}
		return nil
	})
	return sum
}

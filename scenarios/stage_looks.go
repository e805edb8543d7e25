package scenarios

import (
	"context"
	"fmt"
	"slices"

	"locktorture/locks"
)

// UntilOver waits until a lease has ended: the validity reported to its holder has passed, and no
// server stores it. A lease without an end of its own must disappear within one TTL.
func (s *Stage) UntilOver(l *Lease) {
	if l == nil {
		return
	}
	if _, most := l.Validity(); most > 0 && most < int64(1)<<62 {
		s.After(fmt.Sprintf("the validity of lease %d is over", l.Number()), most)
	}
	if s.traits.LeastTTL == 0 {
		s.After("a TTL is over", s.script.Now()+int64(s.TTL))
		return
	}
	s.UntilGone(l)
}

// UntilGone waits until no server stores the lease.
func (s *Stage) UntilGone(l *Lease) {
	if l == nil {
		return
	}
	s.UntilSeen(fmt.Sprintf("no server keeps lease %d", l.Number()), l.Lock(), func(sights []locks.Sight) bool {
		return !slices.ContainsFunc(sights, func(x locks.Sight) bool { return keeps(x) && x.Has(l.Owner()) })
	})
}

// keeps reports whether a server stores a lock with an owner. A lock without remaining time is
// free.
func keeps(x locks.Sight) bool { return len(x.Holds) > 0 || x.Owner != "" && x.Left != 0 }

// UntilFree waits until no server stores the lock with an owner.
func (s *Stage) UntilFree() {
	s.UntilSeen("the lock is free", s.Lock, func(sights []locks.Sight) bool {
		return !slices.ContainsFunc(sights, keeps)
	})
}

// UntilKept waits until the lease was observed on n servers.
func (s *Stage) UntilKept(l *Lease, n int) {
	if l == nil {
		return
	}
	s.UntilSeen(fmt.Sprintf("%d servers keep lease %d", n, l.Number()), l.Lock(), func(sights []locks.Sight) bool {
		kept := 0
		for _, x := range sights {
			if keeps(x) && x.Has(l.Owner()) {
				kept++
			}
		}
		return kept >= n
	})
}

// UntilLost waits until the holder was notified of the loss of its lease.
func (s *Stage) UntilLost(l *Lease) {
	if l == nil {
		return
	}
	s.Until(fmt.Sprintf("the loss of lease %d is reported", l.Number()), 4*s.TTL, func(context.Context) (bool, error) {
		select {
		case <-l.Lost():
			return true, nil
		default:
			return false, nil
		}
	})
}

// UntilLooked probes the servers once more, for the history.
func (s *Stage) UntilLooked() {
	s.UntilSeen("the servers were looked at", s.Lock, func([]locks.Sight) bool { return true })
}

// quorum returns the number of servers that must store a lease. A service that is probed as a whole
// counts as one.
func (s *Stage) quorum() int {
	if s.cluster.HasLeader() {
		return 1
	}
	return max(s.cluster.Quorum, 1)
}

// UntilSeen probes the servers until a condition holds, and records that probe.
func (s *Stage) UntilSeen(what, lock string, wanted func([]locks.Sight) bool) {
	s.Until(what, 4*s.TTL, func(ctx context.Context) (bool, error) {
		sights, err := s.script.Look(ctx, lock)
		if err != nil || !wanted(sights) {
			return false, err
		}
		s.script.Saw(lock, sights)
		return true, nil
	})
}

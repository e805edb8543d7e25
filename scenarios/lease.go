package scenarios

import (
	"context"
	"fmt"
	"slices"
	"time"

	"locktorture/harness"
	"locktorture/locks"
)

// A Lease is a grant of the script. A step under a nil lease, which was not granted, is skipped.
type Lease struct {
	*harness.Grant
	client *Client
	at     int64 // time at which the grant was recorded, in ns of the history
}

// granted returns the time at which the grant was recorded, in ns of the history.
func (l *Lease) granted() int64 {
	if l == nil {
		return 0
	}
	return l.at
}

// end returns the earliest end of the validity, as last reported.
func (l *Lease) end() int64 {
	if l == nil {
		return 0
	}
	least, _ := l.Validity()
	return least
}

// LostWithin waits for the notice that the lease is lost, and reports whether it arrived.
func (l *Lease) LostWithin(d time.Duration) bool {
	if l == nil || l.client.stage.over() {
		return false
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-l.Lost():
		return true
	case <-t.C:
	case <-l.client.stage.ctx.Done():
	}
	return false
}

// UntilOver waits until the lease has ended: the validity reported to its holder has passed, and no
// server stores it. A lease without an end of its own must disappear within one TTL.
func (l *Lease) UntilOver() {
	if l == nil {
		return
	}
	s := l.client.stage
	if _, most := l.Validity(); most > 0 && most < int64(1)<<62 {
		s.After(fmt.Sprintf("the validity of lease %d is over", l.Number()), most)
	}
	if s.traits.LeastTTL == 0 {
		s.After("a TTL is over", s.script.Now()+int64(s.TTL))
		return
	}
	l.UntilGone()
}

// UntilGone waits until no server stores the lease.
func (l *Lease) UntilGone() {
	if l == nil {
		return
	}
	l.client.stage.Probe.Until(fmt.Sprintf("no server keeps lease %d", l.Number()), l.Lock(), func(sights []locks.Sight) bool {
		return !slices.ContainsFunc(sights, func(x locks.Sight) bool { return keeps(x) && x.Has(l.Owner()) })
	})
}

// UntilKept waits until the lease was observed on n servers.
func (l *Lease) UntilKept(n int) {
	if l == nil {
		return
	}
	l.client.stage.Probe.Until(fmt.Sprintf("%d servers keep lease %d", n, l.Number()), l.Lock(), func(sights []locks.Sight) bool {
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
func (l *Lease) UntilLost() {
	if l == nil {
		return
	}
	l.client.stage.Until(fmt.Sprintf("the loss of lease %d is reported", l.Number()), 4*l.client.stage.TTL, func(context.Context) (bool, error) {
		select {
		case <-l.Lost():
			return true, nil
		default:
			return false, nil
		}
	})
}

// token returns the token.
func (l *Lease) token() uint64 {
	if l == nil {
		return 0
	}
	return l.Token()
}

package scenarios

import (
	"context"
	"fmt"
	"strings"

	"locktorture/nemesis"
)

// Renew requests another TTL for the lease, and reports whether the lock confirmed it.
func (c *Client) Renew(l *Lease) bool {
	if l == nil || c.stage.over() {
		return false
	}
	err := c.scripted.Renew(c.stage.ctx, l.Grant)
	if err != nil {
		c.expected(err)
	}
	return err == nil
}

// UntilSomeHeld waits until one of the links holds back more than this number of bytes: a client
// uses one of several servers, and a heartbeat is short.
func (f *Fault) UntilSomeHeld(bytes int) {
	if f == nil {
		return
	}
	f.stage.Until("a message is held back", 0, func(context.Context) (bool, error) {
		for _, l := range f.links {
			if l.Held() > bytes {
				return true, nil
			}
		}
		return false, nil
	})
	if !f.stage.over() {
		f.strike(fmt.Sprintf("%s of c%d and one of %s are held back", f.step.Direction, f.step.Clients[0], strings.Join(f.stage.Servers.names(f.step.Nodes), ", ")))
	}
}

// LetGoAlone delivers the data that this fault holds back, and keeps the other faults of the same
// links.
func (f *Fault) LetGoAlone() {
	if f == nil {
		return
	}
	f.heal = func(context.Context) error {
		for _, l := range f.links {
			if err := l.LetGo(f.step.Direction); err != nil {
				return err
			}
		}
		return nil
	}
	f.Heal()
}

// Reset breaks the client's connections to some nodes: data under way or held back is lost, and
// both ends notice. The client may reconnect at once.
func (c *Client) Reset(letters string) {
	s := c.stage
	s.step(fmt.Sprintf("break the connections of %s", c.name()), func(ctx context.Context) error {
		links, err := s.links(c, letters)
		if err != nil {
			return err
		}
		f := s.begin(nemesis.Partition{}, nemesis.Step{Clients: []int{c.scripted.Number()}, Nodes: nodes(letters)}, healLinks(links))
		for _, l := range links {
			if err := l.Reset(); err != nil {
				return err
			}
		}
		f.strike("the connections of " + c.name() + " to " + strings.Join(s.Servers.names(nodes(letters)), ", ") + " are broken")
		return f.mend(ctx)
	})
}

// countBeside makes client 1 take the lock and read, client 2 request the same lock and count if it
// is granted, and client 1 write the value that it had computed. The second lease is nil if client
// 2 was refused, which is recorded as a fact.
func (s *Stage) countBeside() (l1, l2 *Lease) {
	c1, c2 := s.Client(1), s.Client(2)
	l1 = c1.Acquire()
	n := c1.Read(l1)
	l2 = c2.Try()
	s.Fact("client 2 was refused", l2 == nil)
	c2.Write(l2, c2.Read(l2)+1)
	c1.Write(l1, n+1)
	return l1, l2
}

// FreeIn requests the lock with a client for longer than the lock may take to become free, and
// reports whether it was granted.
func (c *Client) FreeIn() bool {
	p := c.AcquireLater()
	p.Calmly(c.stage.FreeWithin + c.stage.FreeWithin/4)
	if !p.Answered() {
		return false
	}
	return c.Release(p.Wait())
}

package scenarios

import (
	"context"
	"fmt"
	"strings"

	"locktorture/nemesis"
)

// Renew asks for another TTL for the lease, and reports whether the lock said yes.
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

// UntilSomeHeld waits until one of the links keeps more than so many bytes back: a
// client speaks to one of several servers, and a heartbeat is short.
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
		f.strike(fmt.Sprintf("%s of c%d and one of %s are held back", f.step.Direction, f.step.Clients[0], strings.Join(f.stage.names(f.step.Nodes), ", ")))
	}
}

// LetGoAlone lets go what this fault keeps back, and leaves alone what others do to the same
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

// Reset breaks the client's connections to some nodes: what is on its way or held back is
// lost, and both ends hear of it. The client may connect again at once.
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
		f.strike("the connections of " + c.name() + " to " + strings.Join(s.names(nodes(letters)), ", ") + " are broken")
		return f.mend(ctx)
	})
}

// countBeside lets client 1 take the lock and read, client 2 ask for the same lock and count
// if it is granted, and client 1 write what it had computed. The second lease is nil if client
// 2 was refused, which is a fact.
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

// FreeIn tries to take the lock with a client for longer than it may take to be free, and
// reports whether it was granted.
func (c *Client) FreeIn() bool {
	p := c.AcquireLater()
	p.Calmly(c.stage.FreeWithin + c.stage.FreeWithin/4)
	if !p.Answered() {
		return false
	}
	return c.Release(p.Wait())
}

// all returns the letters of the servers that clients have a link to.
func (s *Stage) all() string {
	var linked []int
	for n := range s.cluster.Nodes {
		if s.cluster.Link(1, n) != nil {
			linked = append(linked, n)
		}
	}
	return letters(linked)
}

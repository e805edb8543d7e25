package scenarios

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"locktorture/nemesis"
)

// links returns the links from a client to some nodes, each once.
func (s *Stage) links(c *Client, letters string) ([]*link, error) {
	var out []*link
	seen := map[*link]bool{}
	for _, n := range nodes(letters) {
		l := s.Servers.cluster.Link(c.scripted.Number(), n)
		if l == nil {
			return nil, fmt.Errorf("%s has no link to node %c", c.name(), 'A'+n)
		}
		if !seen[l] {
			seen[l] = true
			out = append(out, l)
		}
	}
	return out, nil
}

// healLinks heals links.
func healLinks(links []*link) func(context.Context) error {
	return func(context.Context) error {
		var errs []error
		for _, l := range links {
			errs = append(errs, l.Heal())
		}
		return errors.Join(errs...)
	}
}

// Cut discards all data between the client and some nodes: c.Cut("DE").
func (c *Client) Cut(letters string) *Fault {
	s := c.stage
	var f *Fault
	s.step(fmt.Sprintf("cut %s from %s", c.name(), letters), func(context.Context) error {
		links, err := s.links(c, letters)
		if err != nil {
			return err
		}
		f = s.begin(nemesis.Partition{}, nemesis.Step{Clients: []int{c.scripted.Number()}, Nodes: nodes(letters)}, healLinks(links))
		for _, l := range links {
			if err := l.Cut(); err != nil {
				return err
			}
		}
		f.strike(c.name() + " cut from " + strings.Join(s.Servers.names(nodes(letters)), ", "))
		return nil
	})
	return f
}

// Slow delays all data between the client and some nodes in each direction.
func (c *Client) Slow(letters string, latency time.Duration) *Fault {
	s := c.stage
	var f *Fault
	s.step(fmt.Sprintf("slow %s", c.name()), func(context.Context) error {
		links, err := s.links(c, letters)
		if err != nil {
			return err
		}
		f = s.begin(nemesis.Latency{}, nemesis.Step{Clients: []int{c.scripted.Number()}, Nodes: nodes(letters), Delay: latency}, healLinks(links))
		for _, l := range links {
			if err := l.Slow(latency, 0); err != nil {
				return err
			}
		}
		f.strike(fmt.Sprintf("%v more between %s and %s, each way", latency, c.name(), strings.Join(s.Servers.names(nodes(letters)), ", ")))
		return nil
	})
	return f
}

// HoldReplies keeps back the replies of some nodes to the client, from its next request on each on.
// The connections must be warm; otherwise the client library's handshake would be delayed.
func (c *Client) HoldReplies(letters string) *Fault { return c.hold(letters, replies, 0) }

// HoldRepliesAfter is like HoldReplies, but passes the first n replies of that connection.
func (c *Client) HoldRepliesAfter(letters string, n int) *Fault {
	return c.hold(letters, replies, n)
}

// HoldRequests keeps back the client's next requests to some nodes.
func (c *Client) HoldRequests(letters string) *Fault { return c.hold(letters, requests, 0) }

func (c *Client) hold(letters string, d string, after int) *Fault {
	s := c.stage
	var f *Fault
	s.step(fmt.Sprintf("hold %s of %s", d, c.name()), func(context.Context) error {
		links, err := s.links(c, letters)
		if err != nil {
			return err
		}
		f = s.begin(nemesis.Hold{}, nemesis.Step{Direction: d, Clients: []int{c.scripted.Number()}, Nodes: nodes(letters)}, healLinks(links))
		f.links = links
		for _, l := range links {
			if err := l.HoldAfter(d, after); err != nil {
				return err
			}
		}
		return nil
	})
	return f
}

// UntilAnswered waits until each of some nodes has sent the client an answer. A library that
// connects to several servers at once may still be connecting when the first has served it. It
// abandons a connection that is held back before it is open, and the next one would pass.
func (c *Client) UntilAnswered(letters string) {
	s := c.stage
	s.Until(fmt.Sprintf("%s has answered %s", letters, c.name()), 0, func(context.Context) (bool, error) {
		links, err := s.links(c, letters)
		return err == nil && !slices.ContainsFunc(links, func(l *link) bool { return l.Answered() == 0 }), err
	})
}

// UntilHeld waits until every one of the links holds data back.
func (f *Fault) UntilHeld() {
	if f == nil {
		return
	}
	f.stage.Until("messages are held back", 0, func(context.Context) (bool, error) {
		for _, l := range f.links {
			if l.Held() == 0 {
				return false, nil
			}
		}
		return true, nil
	})
	if !f.stage.over() {
		f.strike(fmt.Sprintf("%s of c%d and %s are held back", f.step.Direction, f.step.Clients[0], strings.Join(f.stage.Servers.names(f.step.Nodes), ", ")))
	}
}

// LetGo is Heal for held data, which is delivered in order.
func (f *Fault) LetGo() { f.Heal() }

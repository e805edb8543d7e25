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

// Links are the links of a client to some servers.
type Links struct {
	client  *Client
	letters string // the servers
}

// LinksTo returns the links to some servers: c.LinksTo("DE").Cut().
func (c *Client) LinksTo(letters string) Links { return Links{c, letters} }

// Links returns all links of the client.
func (c *Client) Links() Links { return c.LinksTo(c.stage.Servers.all()) }

// all returns the links themselves, each once.
func (w Links) all() ([]*link, error) {
	var out []*link
	seen := map[*link]bool{}
	for _, n := range nodes(w.letters) {
		l := w.client.stage.Servers.cluster.Link(w.client.scripted.Number(), n)
		if l == nil {
			return nil, fmt.Errorf("%s has no link to node %c", w.client.name(), 'A'+n)
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

// begin starts a fault by doing something to each link.
func (w Links) begin(kind nemesis.Declared, step nemesis.Step, do func(*link) error) (*Fault, error) {
	links, err := w.all()
	if err != nil {
		return nil, err
	}
	step.Clients, step.Nodes = []int{w.client.scripted.Number()}, nodes(w.letters)
	f := w.client.stage.begin(kind, step, healLinks(links))
	f.links = links
	for _, l := range links {
		if err := do(l); err != nil {
			return f, err
		}
	}
	return f, nil
}

// names returns the names of the servers.
func (w Links) names() string {
	return strings.Join(w.client.stage.Servers.names(nodes(w.letters)), ", ")
}

// Cut discards all data between the client and the servers.
func (w Links) Cut() (f *Fault) {
	c := w.client
	c.stage.step(fmt.Sprintf("cut %s from %s", c.name(), w.letters), func(context.Context) (err error) {
		if f, err = w.begin(nemesis.Partition{}, nemesis.Step{}, (*link).Cut); err == nil {
			f.strike(c.name() + " cut from " + w.names())
		}
		return err
	})
	return f
}

// Slow delays all data between the client and the servers in each direction.
func (w Links) Slow(latency time.Duration) (f *Fault) {
	c := w.client
	c.stage.step(fmt.Sprintf("slow %s", c.name()), func(context.Context) (err error) {
		f, err = w.begin(nemesis.Latency{}, nemesis.Step{Delay: latency}, func(l *link) error { return l.Slow(latency, 0) })
		if err == nil {
			f.strike(fmt.Sprintf("%v more between %s and %s, each way", latency, c.name(), w.names()))
		}
		return err
	})
	return f
}

// HoldReplies keeps back the replies to the client, from its next request on each link on.
// The connections must be warm; otherwise the client library's handshake would be delayed.
func (w Links) HoldReplies() *Fault { return w.hold(replies, 0) }

// HoldRepliesAfter is like HoldReplies, but passes the first n replies of that connection.
func (w Links) HoldRepliesAfter(n int) *Fault { return w.hold(replies, n) }

// HoldRequests keeps back the client's next requests.
func (w Links) HoldRequests() *Fault { return w.hold(requests, 0) }

func (w Links) hold(d string, after int) (f *Fault) {
	c := w.client
	c.stage.step(fmt.Sprintf("hold %s of %s", d, c.name()), func(context.Context) (err error) {
		f, err = w.begin(nemesis.Hold{}, nemesis.Step{Direction: d}, func(l *link) error { return l.HoldAfter(d, after) })
		return err
	})
	return f
}

// UntilAnswered waits until each of the servers has sent the client an answer. A library that
// connects to several servers at once may still be connecting when the first has served it. It
// abandons a connection that is held back before it is open, and the next one would pass.
func (w Links) UntilAnswered() {
	c, s := w.client, w.client.stage
	s.Until(fmt.Sprintf("%s has answered %s", w.letters, c.name()), 0, func(context.Context) (bool, error) {
		links, err := w.all()
		return err == nil && !slices.ContainsFunc(links, func(l *link) bool { return l.Answered() == 0 }), err
	})
}

// Reset breaks the client's connections to the servers: data under way or held back is lost, and
// both ends notice. The client may reconnect at once.
func (w Links) Reset() {
	c := w.client
	c.stage.step(fmt.Sprintf("break the connections of %s", c.name()), func(ctx context.Context) error {
		f, err := w.begin(nemesis.Partition{}, nemesis.Step{}, (*link).Reset)
		if err != nil {
			return err
		}
		f.strike("the connections of " + c.name() + " to " + w.names() + " are broken")
		return f.mend(ctx)
	})
}

package anchor

import (
	"errors"
	"fmt"
	"strings"

	"locktorture/cluster"
	"locktorture/nemesis"
	"locktorture/nemesis/points/faults"
	"locktorture/nemesis/points/schedule"
)

// fits returns nil, or an error with the decision that these servers and clients do not support,
// and the reason.
func fits(s schedule.Schedule, c *cluster.Cluster, w *nemesis.World, kinds nemesis.Kinds, names Names) error {
	if err := s.Check(len(w.Clients), len(w.Nodes)); err != nil {
		return err
	}
	for i, d := range s {
		var err error
		if d.Leader && w.Leader == nil {
			err = errors.New("none of these servers leads the others")
		}
		if err == nil {
			err = fitsMessage(d, c, names)
		}
		if err == nil {
			err = fitsLinks(d, c)
		}
		if err == nil {
			err = possible(d, w, kinds)
		}
		if err != nil {
			return fmt.Errorf("fault %d, %q: %w", i+1, d, err)
		}
	}
	return nil
}

// fitsMessage checks that these servers have messages like the one at the decision's point.
func fitsMessage(d schedule.Decision, c *cluster.Cluster, names Names) error {
	n := d.At.Node
	if of := d.At.Server; of != "" {
		for i, node := range c.Nodes {
			if kind(node.Name()) != of || names[of] == nil {
				return fmt.Errorf("server %d is %s, so its messages are not those of %s", i+1, node.Name(), of)
			}
			if err := linked(c, d.At.Client, i+1); err != nil {
				return err
			}
		}
		return nil
	}
	if n == 0 {
		return nil
	}
	if name := c.Nodes[n-1].Name(); name != fmt.Sprintf("redis-%d", n) {
		return errNot(name, n)
	}
	return linked(c, d.At.Client, n)
}

// fitsLinks checks that a decision about connections can strike all connections that it names.
func fitsLinks(d schedule.Decision, c *cluster.Cluster) error {
	if d.Kind != schedule.Hold && d.Kind != schedule.Reset {
		return nil
	}
	strikes := d.Strikes()
	if d.Leader { // it may be any of them
		strikes = nil
		for i := range c.Nodes {
			strikes = append(strikes, i+1)
		}
	}
	for _, n := range strikes {
		if name := c.Nodes[n-1].Name(); d.Kind == schedule.Hold && name != fmt.Sprintf("redis-%d", n) && kind(name) != schedule.Etcd {
			return errNot(name, n)
		}
		if err := linked(c, d.At.Client, n); err != nil {
			return err
		}
	}
	return nil
}

// kind returns the kind of a server with the given name.
func kind(name string) string {
	kind, _, _ := strings.Cut(name, "-")
	return kind
}

// linked checks that a client has a link of its own to a server.
func linked(c *cluster.Cluster, client, node int) error {
	l := c.Link(client, node-1)
	if l == nil {
		return fmt.Errorf("there is no link from c%d to %s that could be watched", client, c.Nodes[node-1].Name())
	}
	if w := l.Way(); w.Client != client || w.To != node-1 {
		return errVirtual
	}
	return nil
}

// possible checks that the kind of fault is possible.
func possible(d schedule.Decision, w *nemesis.World, kinds nemesis.Kinds) error {
	if d.Leader {
		d.Nodes = []int{1} // any server, since each may lead
	}
	if schedule.Forms()[d.Kind].Etcd {
		if len(w.Nodes) == 0 || kind(w.Nodes[0].Name()) != schedule.Etcd {
			return fmt.Errorf("only etcd supports %s", d.Kind)
		}
		if _, own := w.Nodes[0].(nemesis.Restarter); !own { // it would discard somebody's data
			return fmt.Errorf("torture strikes with %s only servers that it has started", d.Kind)
		}
		return nil
	}
	step := injected(d, faults.Step(d, 1))
	if step.Fault == faults.Drop || step.Fault == faults.Reset || d.Kind == schedule.Hold || d.Kind == schedule.Reorder {
		return nil
	}
	kind, ok := kinds[step.Fault]
	if !ok {
		return errors.New("this fault is not possible here")
	}
	if d.Kind == schedule.Stop {
		kind = nemesis.Pause{Modes: []string{nemesis.PauseNode}}
	}
	if err := kind.Supports(w); err != nil {
		return err
	}
	if k, ok := kind.(nemesis.Checker); ok {
		return k.Check(w, step)
	}
	return nil
}

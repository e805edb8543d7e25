package story

import (
	"fmt"
	"slices"

	"locktorture/history"
	"locktorture/report/diagram"
	"locktorture/report/votes"
	"locktorture/report/words"
	"locktorture/timeline"
)

// meet finds out who takes part, and which leases they hold.
func (t *teller) meet() error {
	t.open, t.clients = map[int]history.Op{}, maxClients
	t.faults.Heals, t.servers = map[int]history.Op{}, map[string]bool{}
	if len(t.run.Nodes) == 1 {
		t.node = t.run.Nodes[0]
	}
	for _, op := range t.h {
		if op.Client > 0 && op.Client <= t.clients && op.Lock != "" && !rehearsal(op) && !slices.Contains(t.locks, op.Lock) && op.F != history.Fault && op.F != history.Heal {
			t.locks = append(t.locks, op.Lock)
		}
		if votes.Matters(&op) {
			t.faults.Struck = append(t.faults.Struck, op)
		}
		if op.F == history.Heal {
			t.faults.Heals[op.Fault] = op
		}
	}
	_, err := timeline.WalkAll(t.h, func(e timeline.Entry) error {
		if e.Granted() {
			t.leases = append(t.leases, e.Lease)
		}
		for _, g := range e.Overtakes {
			t.takes[e.Lease.Number] = append(t.takes[e.Lease.Number], g.Number)
		}
		return nil
	})
	return err
}

// listen makes rows of what was said, if it was recorded.
func (t *teller) listen(traffic votes.Traffic) ([]event, error) {
	list, err := said(t.h, t.locks, traffic)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	var grants []votes.Grant
	for _, g := range t.leases {
		if g.Owner != "" && g.Client > 0 && !rehearsal(*g.Ret) {
			grants = append(grants, votes.Grant{Call: *g.Inv, Answer: *g.Ret})
		}
	}
	ballots, err := votes.Ask([][]votes.Grant{grants}, t.run.Nodes, traffic)
	if err != nil {
		return nil, err
	}
	for _, m := range list {
		t.servers[m.Node] = true
	}
	return t.talk(list, ballots[0]), nil
}

// raise makes the lifelines.
func (t *teller) raise() {
	var nodes, clients, stores []string
	put := func(list *[]string, s string) {
		if !slices.Contains(*list, s) {
			*list = append(*list, s)
		}
	}
	for _, n := range t.run.Nodes {
		if t.servers[n] && n != t.node {
			put(&nodes, n)
		}
	}
	for _, op := range t.h {
		switch {
		case op.F == history.Fault && op.Client == 0 && op.Node != "" || op.F == history.Probe && op.Owner() != "":
			for _, n := range op.Nodes() {
				if slices.Contains(t.run.Nodes, n) && n != t.node {
					put(&nodes, n)
				}
			}
		case op.Client > 0 && op.Client <= t.clients && op.F != history.Fault && op.F != history.Heal:
			put(&clients, fmt.Sprintf("c%d", op.Client))
			if op.Store != "" {
				put(&stores, diagram.StoreName(op))
			}
		}
	}
	slices.SortFunc(nodes, func(a, b string) int { return slices.Index(t.run.Nodes, a) - slices.Index(t.run.Nodes, b) })
	slices.Sort(clients)
	for _, n := range nodes {
		t.story.actors = append(t.story.actors, actor{"N" + n, words.Short(n, 20), shortNode(n), "node"})
	}
	for i, l := range t.locks {
		name := "lock"
		if len(t.locks) > 1 {
			name = "lock " + words.Short(l, 20)
		}
		t.story.actors = append(t.story.actors, actor{fmt.Sprintf("L%d", i), name, name, "lock"})
	}
	for _, c := range clients {
		t.story.actors = append(t.story.actors, actor{"C" + c[1:], c, c, "client"})
	}
	for _, s := range stores {
		t.story.actors = append(t.story.actors, actor{"S" + s, s, "store", "store"})
	}
}

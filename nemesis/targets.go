package nemesis

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Weights are the relative frequencies of the number of nodes that a fault strikes: one; a
// minority, without which the quorum remains; a majority, just large enough to break the quorum;
// all. The zero value stands for the default of the fault.
type Weights struct{ One, Minority, Majority, All int }

// sizes returns the number of nodes for each of the weights, in their order.
func sizes(n, quorum int) [4]int {
	majority := n/2 + 1
	if quorum > 1 && quorum <= n {
		majority = n - quorum + 1 // the smallest number whose loss breaks the quorum
	}
	return [4]int{1, max(1, majority-1), majority, n}
}

// nodes draws a set of nodes of the world, in ascending order.
func (x Weights) nodes(d *Draw, w *World, def Weights) []int {
	return x.from(d, "nodes", indices(len(w.Nodes)), w.Quorum, def)
}

// from draws a set of the candidates, in ascending order.
func (x Weights) from(d *Draw, property string, candidates []int, quorum int, def Weights) []int {
	if x == (Weights{}) {
		x = def
	}
	size := sizes(len(candidates), quorum)[d.one("number of "+property, x.One, x.Minority, x.Majority, x.All)]
	chosen := d.distinct(property, min(size, len(candidates)), ones(len(candidates)))
	for i, c := range chosen {
		chosen[i] = candidates[c]
	}
	slices.Sort(chosen)
	return chosen
}

// clients draws a set of clients by number, in ascending order.
func clients(d *Draw, w *World, size int) []int {
	chosen := d.Perm(len(w.Clients))[:min(size, len(w.Clients))]
	for i := range chosen {
		chosen[i]++
	}
	slices.Sort(chosen)
	return chosen
}

// indices returns the numbers from 0 to n-1.
func indices(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// names lists the names of nodes.
func names(w *World, nodes []int) string {
	list := make([]string, len(nodes))
	for i, n := range nodes {
		list[i] = w.Nodes[n].Name()
	}
	return strings.Join(list, ", ")
}

// An Excuser is a Node that returns the reason why it lacks a capability of its kind ("clock",
// "wipe"), or "" if it has the capability.
type Excuser interface {
	WhyNot(capability string) string
}

// excuse returns the reason why a node lacks a capability, or "".
func excuse(n Node, capability string) string {
	if e, ok := n.(Excuser); ok {
		return e.WhyNot(capability)
	}
	return ""
}

// able returns nil if every node of the world has the capability T.
func able[T any](w *World, what, capability string) error {
	if len(w.Nodes) == 0 {
		return fmt.Errorf("there is no server that could be %s", what)
	}
	for _, n := range w.Nodes {
		if _, ok := n.(T); ok {
			continue
		}
		if why := excuse(n, capability); why != "" {
			return fmt.Errorf("%s cannot be %s: %s", n.Name(), what, why)
		}
		return fmt.Errorf("%s cannot be %s here", n.Name(), what)
	}
	return nil
}

// each calls do for every node of a step that has the capability T, all at once, and joins their
// errors.
func each[T any](w *World, nodes []int, do func(T) error) error {
	if len(nodes) == 0 {
		return errors.New("has no node")
	}
	errs := make([]error, len(nodes))
	var wg sync.WaitGroup
	for i, n := range nodes {
		if n < 0 || n >= len(w.Nodes) {
			return fmt.Errorf("there is no node %d; the number of nodes is %d", n, len(w.Nodes))
		}
		node, ok := w.Nodes[n].(T)
		if !ok {
			return fmt.Errorf("%s does not support this fault", w.Nodes[n].Name())
		}
		wg.Go(func() {
			if err := do(node); err != nil {
				errs[i] = fmt.Errorf("%s: %w", w.Nodes[n].Name(), err)
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

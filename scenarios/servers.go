package scenarios

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"locktorture/nemesis"
)

// Servers are the servers of a script. Letters choose some of them: "AC" is the first and the third.
type Servers struct {
	stage   *Stage
	cluster *system
	world   *nemesis.World
	etcd    etcdClient // nil: the script has not used etcd itself yet
}

// Strike strikes with a fault of package nemesis, and returns when its effect was observed.
func (v *Servers) Strike(n nemesis.Nemesis, step nemesis.Step) *Fault {
	var f *Fault
	v.stage.step(n.Traits().Name, func(ctx context.Context) error {
		if err := n.Supports(v.world); err != nil {
			return fmt.Errorf("%w: %w", ErrCannot, err)
		}
		seen, heal, err := n.Inject(ctx, v.world, step)
		if err != nil {
			return err
		}
		f = v.stage.begin(n, step, heal)
		f.strike(seen)
		return nil
	})
	return f
}

// Jump moves the clock of a node by this offset, and returns when the node reports the new time.
func (v *Servers) Jump(letter string, by time.Duration) *Fault { return v.skew(letter, by, 1) }

func (v *Servers) skew(letters string, offset time.Duration, rate float64) *Fault {
	var f *Fault
	v.stage.step("move the clock of "+letters, func(ctx context.Context) error {
		all := func(ctx context.Context, offset time.Duration, rate float64) error {
			return each(nodes(letters), func(i int) error {
				n, err := able[nemesis.Clocked](v, i)
				if err != nil {
					return err
				}
				return n.SkewClock(ctx, offset, rate)
			})
		}
		f = v.stage.begin(nemesis.Clock{}, nemesis.Step{Nodes: nodes(letters), Offset: offset, Rate: rate},
			func(ctx context.Context) error { return all(ctx, 0, 1) })
		if err := all(ctx, offset, rate); err != nil {
			return err
		}
		what := fmt.Sprintf("tell %+.3f s", offset.Seconds())
		if rate != 1 {
			what = fmt.Sprintf("run %+.3f %% fast", (rate-1)*100)
		}
		f.strike("clocks of " + strings.Join(v.names(nodes(letters)), ", ") + " " + what)
		return nil
	})
	return f
}

// Kill kills nodes with kill -9.
func (v *Servers) Kill(letters string) *Fault {
	var f *Fault
	v.stage.step("kill "+letters, func(ctx context.Context) error {
		killed := nodes(letters)
		f = v.stage.begin(nemesis.Restart{}, nemesis.Step{Nodes: killed}, func(ctx context.Context) error { return v.start(ctx, killed, false) })
		err := each(killed, func(i int) error {
			n, err := able[nemesis.Restarter](v, i)
			if err != nil {
				return err
			}
			return n.Kill(ctx)
		})
		if err != nil {
			return err
		}
		f.strike(strings.Join(v.names(killed), ", ") + " killed")
		return nil
	})
	return f
}

func (v *Servers) start(ctx context.Context, killed []int, empty bool) error {
	return each(killed, func(i int) error {
		n, err := able[nemesis.Restarter](v, i)
		if err != nil {
			return err
		}
		return n.Start(ctx, empty)
	})
}

// all returns the letters of the servers to which clients have a link.
func (v *Servers) all() string {
	var linked []int
	for n := range v.cluster.Nodes {
		if v.cluster.Link(1, n) != nil {
			linked = append(linked, n)
		}
	}
	return letters(linked)
}

// quorum returns the number of servers that must store a lease. A service that is probed as a whole
// counts as one.
func (v *Servers) quorum() int {
	if v.cluster.HasLeader() {
		return 1
	}
	return max(v.cluster.Quorum, 1)
}

// names returns the names of nodes.
func (v *Servers) names(indices []int) []string {
	var out []string
	for _, i := range indices {
		out = append(out, v.cluster.Nodes[i].Name())
	}
	return out
}

// able returns a node if it has a capability.
func able[T any](v *Servers, node int) (T, error) {
	n, ok := v.cluster.Nodes[node].(T)
	if !ok {
		return n, fmt.Errorf("%s: %w", v.cluster.Nodes[node].Name(), ErrCannot)
	}
	return n, nil
}

// nodes returns the nodes for letters: "AC" is the first and the third.
func nodes(letters string) []int {
	var out []int
	for _, r := range letters {
		out = append(out, int(r-'A'))
	}
	return out
}

// all returns the first n nodes.
func all(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// letters returns the letters for nodes.
func letters(indices []int) string {
	text := ""
	for _, i := range indices {
		text += string(rune('A' + i))
	}
	return text
}

// each calls a function for several nodes at once.
func each(indices []int, do func(int) error) error {
	errs := make(chan error, len(indices))
	for _, i := range indices {
		go func() { errs <- do(i) }()
	}
	var all []error
	for range indices {
		all = append(all, <-errs)
	}
	return errors.Join(all...)
}

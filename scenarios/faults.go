package scenarios

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"locktorture/nemesis"
)

// ErrCannot reports that these servers do not support a fault of the script.
var ErrCannot = errors.New("cannot suffer that here")

// A Fault is a fault of a script. It is healed at the end of the script, or before.
type Fault struct {
	stage  *Stage
	kind   nemesis.Declared
	step   nemesis.Step
	struck bool // the fault has struck and is recorded
	healed bool
	heal   func(ctx context.Context) error // nil if there is nothing to undo
	links  []*link
}

// strike records a fault whose effect was observed.
func (f *Fault) strike(seen string) {
	f.step = f.stage.script.Struck(f.kind, f.step, seen)
	f.struck = true
}

// Heal undoes the fault and returns when that was observed.
func (f *Fault) Heal() {
	if f == nil {
		return
	}
	f.stage.step("heal "+f.kind.Traits().Name, f.mend)
}

func (f *Fault) mend(ctx context.Context) error {
	if f.healed {
		return nil
	}
	f.healed = true
	var err error
	if f.heal != nil {
		err = f.heal(ctx)
	}
	if f.struck && err == nil {
		f.stage.script.Healed(f.step)
	}
	return err
}

// begin starts a fault that will be healed.
func (s *Stage) begin(kind nemesis.Declared, step nemesis.Step, heal func(context.Context) error) *Fault {
	f := &Fault{stage: s, kind: kind, step: step, heal: heal}
	s.later(f.mend)
	return f
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

// names returns the names of nodes.
func (s *Stage) names(indices []int) []string {
	var out []string
	for _, i := range indices {
		out = append(out, s.cluster.Nodes[i].Name())
	}
	return out
}

// able returns a node if it has a capability.
func able[T any](s *Stage, node int) (T, error) {
	n, ok := s.cluster.Nodes[node].(T)
	if !ok {
		return n, fmt.Errorf("%s: %w", s.cluster.Nodes[node].Name(), ErrCannot)
	}
	return n, nil
}

// Jump moves the clock of a node by this offset, and returns when the node reports the new time.
func (s *Stage) Jump(letter string, by time.Duration) *Fault { return s.skew(letter, by, 1) }

func (s *Stage) skew(letters string, offset time.Duration, rate float64) *Fault {
	var f *Fault
	s.step("move the clock of "+letters, func(ctx context.Context) error {
		all := func(ctx context.Context, offset time.Duration, rate float64) error {
			return each(nodes(letters), func(i int) error {
				n, err := able[nemesis.Clocked](s, i)
				if err != nil {
					return err
				}
				return n.SkewClock(ctx, offset, rate)
			})
		}
		f = s.begin(nemesis.Clock{}, nemesis.Step{Nodes: nodes(letters), Offset: offset, Rate: rate},
			func(ctx context.Context) error { return all(ctx, 0, 1) })
		if err := all(ctx, offset, rate); err != nil {
			return err
		}
		what := fmt.Sprintf("tell %+.3f s", offset.Seconds())
		if rate != 1 {
			what = fmt.Sprintf("run %+.3f %% fast", (rate-1)*100)
		}
		f.strike("clocks of " + strings.Join(s.names(nodes(letters)), ", ") + " " + what)
		return nil
	})
	return f
}

// Kill kills nodes with kill -9.
func (s *Stage) Kill(letters string) *Fault {
	var f *Fault
	s.step("kill "+letters, func(ctx context.Context) error {
		killed := nodes(letters)
		f = s.begin(nemesis.Restart{}, nemesis.Step{Nodes: killed}, func(ctx context.Context) error { return s.start(ctx, killed, false) })
		err := each(killed, func(i int) error {
			n, err := able[nemesis.Restarter](s, i)
			if err != nil {
				return err
			}
			return n.Kill(ctx)
		})
		if err != nil {
			return err
		}
		f.strike(strings.Join(s.names(killed), ", ") + " killed")
		return nil
	})
	return f
}

// Restart starts killed nodes again, with or without their data, and returns when they answer.
func (f *Fault) Restart(empty bool) {
	if f == nil {
		return
	}
	f.heal = func(ctx context.Context) error { return f.stage.start(ctx, f.step.Nodes, empty) }
	f.Heal()
}

func (s *Stage) start(ctx context.Context, killed []int, empty bool) error {
	return each(killed, func(i int) error {
		n, err := able[nemesis.Restarter](s, i)
		if err != nil {
			return err
		}
		return n.Start(ctx, empty)
	})
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

package scenarios

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"locktorture/cluster"
	"locktorture/nemesis"
)

// ErrCannot says that these servers cannot suffer what the script does to them.
var ErrCannot = errors.New("cannot suffer that here")

// A Fault is something that a script has broken. It is healed when the script is over, at the latest.
type Fault struct {
	stage  *Stage
	kind   nemesis.Nemesis
	step   nemesis.Step
	struck bool // and recorded
	healed bool
	heal   func(ctx context.Context) error // nil if there is nothing to undo
	links  []*cluster.Link
}

// strike records a fault whose effect was seen.
func (f *Fault) strike(seen string) {
	f.step = f.stage.script.Struck(f.kind, f.step, seen)
	f.struck = true
}

// Heal undoes the fault and returns when that was seen.
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

// begin makes a fault that will be healed.
func (s *Stage) begin(kind nemesis.Nemesis, step nemesis.Step, heal func(context.Context) error) *Fault {
	f := &Fault{stage: s, kind: kind, step: step, heal: heal}
	s.later(f.mend)
	return f
}

// nodes turns letters into nodes: "AC" is the first and the third.
func nodes(letters string) []int {
	var out []int
	for _, r := range letters {
		out = append(out, int(r-'A'))
	}
	return out
}

// letters is nodes the other way round.
func letters(indices []int) string {
	text := ""
	for _, i := range indices {
		text += string(rune('A' + i))
	}
	return text
}

// links are those from a client to some nodes, each once.
func (s *Stage) links(c *Client, letters string) ([]*cluster.Link, error) {
	var out []*cluster.Link
	seen := map[*cluster.Link]bool{}
	for _, n := range nodes(letters) {
		l := s.cluster.Link(c.scripted.Number(), n)
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
func healLinks(links []*cluster.Link) func(context.Context) error {
	return func(context.Context) error {
		var errs []error
		for _, l := range links {
			errs = append(errs, l.Heal())
		}
		return errors.Join(errs...)
	}
}

// Cut loses everything between the client and some nodes: c.Cut("DE").
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
		f.strike(c.name() + " cut from " + strings.Join(s.names(nodes(letters)), ", "))
		return nil
	})
	return f
}

// Slow delays everything between the client and some nodes by so much in each direction.
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
		f.strike(fmt.Sprintf("%v more between %s and %s, each way", latency, c.name(), strings.Join(s.names(nodes(letters)), ", ")))
		return nil
	})
	return f
}

// HoldReplies keeps back what some nodes answer to the client, from its next
// request on each on. The connections must be warm, else it is the client
// library's introduction that is answered late.
func (c *Client) HoldReplies(letters string) *Fault { return c.hold(letters, cluster.Replies, 0) }

// HoldRepliesAfter is HoldReplies that lets the first n answers of that connection pass.
func (c *Client) HoldRepliesAfter(letters string, n int) *Fault {
	return c.hold(letters, cluster.Replies, n)
}

// HoldRequests keeps back what the client sends next to some nodes.
func (c *Client) HoldRequests(letters string) *Fault { return c.hold(letters, cluster.Requests, 0) }

func (c *Client) hold(letters string, d cluster.Direction, after int) *Fault {
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

// UntilHeld waits until every one of the links keeps something back.
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
		f.strike(fmt.Sprintf("%s of c%d and %s are held back", f.step.Direction, f.step.Clients[0], strings.Join(f.stage.names(f.step.Nodes), ", ")))
	}
}

// LetGo is Heal of what was held back: it goes out in order.
func (f *Fault) LetGo() { f.Heal() }

// names are the names of nodes.
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

// Jump moves the clock of a node by so much, and returns when the node was seen to tell the new time.
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

// Kill kills a node with kill -9.
func (s *Stage) Kill(letter string) *Fault {
	var f *Fault
	s.step("kill node "+letter, func(ctx context.Context) error {
		i := nodes(letter)[0]
		n, err := able[nemesis.Restarter](s, i)
		if err != nil {
			return err
		}
		f = s.begin(nemesis.Restart{}, nemesis.Step{Nodes: []int{i}}, func(ctx context.Context) error { return n.Start(ctx, false) })
		if err := n.Kill(ctx); err != nil {
			return err
		}
		f.strike(s.cluster.Nodes[i].Name() + " killed")
		return nil
	})
	return f
}

// Restart starts a killed node again, empty or with its data, and returns when it answers.
func (f *Fault) Restart(empty bool) {
	if f == nil {
		return
	}
	heal := f.heal
	f.heal = func(ctx context.Context) error {
		if !empty {
			return heal(ctx)
		}
		n, err := able[nemesis.Restarter](f.stage, f.step.Nodes[0])
		if err != nil {
			return err
		}
		return n.Start(ctx, true)
	}
	f.Heal()
}

// each does something for several nodes at once.
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

package nemesis

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// A Latency delays every message between clients and some servers in each direction, as a congested
// or a long connection does.
type Latency struct {
	For    Span    // default 0.5–1.5 TTL
	Delay  Span    // in each direction; default 0.01–0.1 TTL
	Jitter float64 // largest part of Delay; default 0.5
	Nodes  Weights // default: a majority as often as other sizes
}

var _ Checker = Latency{}

// Traits returns the traits of the fault.
func (Latency) Traits() Traits {
	return Traits{Name: "latency", About: "messages on some links are delayed, with jitter", Effect: Slowed}
}

// Supports returns an error if there are no links.
func (Latency) Supports(w *World) error { return hasLinks(w) }

// Plan draws the servers, the delay and its jitter.
func (l Latency) Plan(d *Draw, w *World) Step {
	jitter := l.Jitter
	if jitter == 0 {
		jitter = 0.5
	}
	s := Step{
		Nodes: l.Nodes.from(d, "nodes", linked(w), w.Quorum, Weights{1, 1, 3, 1}),
		Delay: l.Delay.draw(d, w.TTL, Span{0.01, 0.1}),
		For:   l.For.draw(d, w.TTL, Span{0.5, 1.5}),
	}
	s.Jitter = time.Duration(d.Float64() * jitter * float64(s.Delay))
	return s
}

// Check returns an error unless the step has a delay and its links exist.
func (Latency) Check(w *World, s Step) error {
	if s.Delay <= 0 || s.Jitter > s.Delay {
		return fmt.Errorf("a delay of %v ± %v delays nothing", s.Delay, s.Jitter)
	}
	_, err := clientPaths(w, s)
	return err
}

// Inject slows the links and returns once a delayed answer was observed.
func (l Latency) Inject(ctx context.Context, w *World, s Step) (string, func(context.Context) error, error) {
	if err := l.Check(w, s); err != nil {
		return "", nil, err
	}
	paths, err := clientPaths(w, s)
	if err != nil {
		return "", nil, err
	}
	// The time of a round trip, less the part that a coarse timer may omit.
	least := 2*(s.Delay-s.Jitter) - time.Millisecond
	most := 2 * (s.Delay + s.Jitter)
	heal := func(ctx context.Context) error {
		return errors.Join(healAll(paths), seeQuick(ctx, paths, s.Delay+10*time.Millisecond))
	}
	w.begins() // messages are late from here on, and that is seen after a round trip
	err = overAll(paths, func(p path) error { return p.Slow(s.Delay, s.Jitter) })
	if err == nil {
		err = seeSlow(ctx, paths, least, most)
	}
	if err != nil {
		return "", nil, undo(ctx, err, heal)
	}
	return fmt.Sprintf("messages between %s and %s delayed by %v ± %v", whose(s), names(w, s.Nodes),
		s.Delay.Round(time.Microsecond), s.Jitter.Round(time.Microsecond)), heal, nil
}

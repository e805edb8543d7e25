package nemesis

import (
	"context"
	"fmt"
	"time"
)

// The modes of Clock.
const (
	ClockAhead = "ahead" // jumps ahead by 1–2 TTL: leases end early
	ClockBack  = "back"  // jumps back by 1–2 TTL: leases end late
	ClockRate  = "rate"  // runs 2–10 times too fast
)

// A Clock moves the wall clocks of servers while the host's clock stays correct, as a faulty time
// server, an administrator or a leap second does.
type Clock struct {
	Modes []string // modes to draw from; default: ahead two times in three
	For   Span     // default 0.3–0.7 TTL; for rate 0.7–1.2 TTL
	Jump  Span     // default 1–2 TTL
	// Nodes is, by default, a majority or all nodes five times in six, because a quorum tolerates
	// wrong clocks of a minority.
	Nodes Weights
}

var _ Checker = Clock{}

// Traits returns the traits of the fault.
func (Clock) Traits() Traits {
	return Traits{
		Name:       "clock",
		About:      "the wall clock of servers jumps ahead or back, or runs at another rate",
		Effect:     Skewed,
		TakesLocks: true,
		SeenLate:   seenLate,
	}
}

// Supports returns an error with the first node whose clock cannot be moved.
func (c Clock) Supports(w *World) error {
	for _, m := range c.Modes {
		if err := checkMode(m, ClockAhead, ClockBack, ClockRate); err != nil {
			return err
		}
	}
	return able[Clocked](w, "given a clock of its own", "clock")
}

// Plan draws the mode, the nodes, and the offset or the rate.
func (c Clock) Plan(d *Draw, w *World) Step {
	modes := c.Modes
	if len(modes) == 0 {
		modes = []string{ClockAhead, ClockAhead, ClockAhead, ClockAhead, ClockBack, ClockRate}
	}
	s := Step{Mode: d.of("mode", modes), Nodes: c.Nodes.nodes(d, w, Weights{1, 1, 5, 5}), Rate: 1}
	span := Span{0.3, 0.7}
	switch s.Mode {
	case ClockAhead:
		s.Offset = c.Jump.draw(d, w.TTL, Span{1, 2})
	case ClockBack:
		s.Offset = -c.Jump.draw(d, w.TTL, Span{1, 2})
	case ClockRate:
		s.Rate = float64(2 + d.IntN(9))
		span = Span{0.7, 1.2}
	}
	s.For = c.For.draw(d, w.TTL, span)
	s.Holder = drawHolder(d, w, false)
	return s
}

// Check returns an error unless mode, offset and rate fit together.
func (Clock) Check(_ *World, s Step) error {
	if err := checkMode(s.Mode, ClockAhead, ClockBack, ClockRate); err != nil {
		return err
	}
	bad := s.Mode == ClockAhead && s.Offset <= 0 || s.Mode == ClockBack && s.Offset >= 0 ||
		s.Mode == ClockRate && s.Rate == 1
	if bad || s.Rate <= 0 {
		return fmt.Errorf("a clock of mode %s cannot have offset %v and rate %g", s.Mode, s.Offset, s.Rate)
	}
	return checkNodes(s)
}

// Inject moves the clocks and returns once every node reports the new time.
func (c Clock) Inject(ctx context.Context, w *World, s Step) (string, func(context.Context) error, error) {
	if err := c.Check(w, s); err != nil {
		return "", nil, err
	}
	skew := func(ctx context.Context, offset time.Duration, rate float64) error {
		return each(w, s.Nodes, func(n Clocked) error { return n.SkewClock(ctx, offset, rate) })
	}
	started, letGo, holder, err := linger(ctx, w, s)
	if err != nil {
		return "", nil, err
	}
	heal := func(ctx context.Context) error { letGo(); return skew(ctx, 0, 1) }
	ctx, cancel, err := uninterrupted(ctx)
	if err != nil {
		letGo()
		return "", nil, err
	}
	defer cancel()
	w.begins()
	if err := skew(ctx, s.Offset, s.Rate); err != nil {
		return "", nil, undo(ctx, err, heal)
	}
	started()
	if s.Mode == ClockRate {
		return fmt.Sprintf("clocks of %s run at rate %g%s", names(w, s.Nodes), s.Rate, holder), heal, nil
	}
	return fmt.Sprintf("clocks of %s tell %+.3f s%s", names(w, s.Nodes), s.Offset.Seconds(), holder), heal, nil
}

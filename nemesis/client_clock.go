package nemesis

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// A ClientClock moves the clock that one client's lock reads, while the clocks of the host and of
// the servers stay correct. It disturbs a lock that measures its validity by a wall clock or writes
// the time into the service. It does not disturb a lock that leaves all times to the servers.
type ClientClock struct {
	Modes []string // modes to draw from, ahead and back as in Clock; default: both
	For   Span     // default 0.7–1.2 TTL
	Jump  Span     // default 1–2 TTL
}

// A ClockedClient is a Client whose lock has a clock that can be moved.
type ClockedClient interface {
	// SkewClock makes the client's clock run offset ahead of the host's clock (behind, if negative)
	// and returns once the client has confirmed it. The error wraps ErrNotStruck if this client has
	// no such clock or has ended.
	SkewClock(ctx context.Context, offset time.Duration) (where string, err error)
}

var _ Checker = ClientClock{}

// Traits returns the traits of the fault. UpsetsAll is set because a queue may be ordered by the
// clocks of all waiters.
func (ClientClock) Traits() Traits {
	return Traits{
		Name:             "client-clock",
		About:            "one client's clock, as its lock reads it, jumps ahead or back",
		Effect:           Skewed,
		StrikesClients:   true,
		NeedsProcess:     true,
		MovesClientClock: true,
		UpsetsAll:        true,
	}
}

// Supports returns an error if there is no client.
func (c ClientClock) Supports(w *World) error {
	for _, m := range c.Modes {
		if err := checkMode(m, ClockAhead, ClockBack); err != nil {
			return err
		}
	}
	if len(w.Clients) == 0 {
		return errors.New("there is no client whose clock could be moved")
	}
	return nil
}

// Plan draws the client, the mode and the offset.
func (c ClientClock) Plan(d *Draw, w *World) Step {
	modes := c.Modes
	if len(modes) == 0 {
		modes = []string{ClockAhead, ClockBack}
	}
	s := Step{Mode: d.of("mode", modes), Clients: clients(d, w, 1), Offset: c.Jump.draw(d, w.TTL, Span{1, 2})}
	if s.Mode == ClockBack {
		s.Offset = -s.Offset
	}
	s.For = c.For.draw(d, w.TTL, Span{0.7, 1.2})
	return s
}

// Check returns an error unless mode and offset fit together and the step strikes one client.
func (ClientClock) Check(w *World, s Step) error {
	if err := checkMode(s.Mode, ClockAhead, ClockBack); err != nil {
		return err
	}
	if s.Mode == ClockAhead && s.Offset <= 0 || s.Mode == ClockBack && s.Offset >= 0 {
		return fmt.Errorf("a clock of mode %s cannot have offset %v", s.Mode, s.Offset)
	}
	_, err := theClient(w, s)
	return err
}

// Inject moves the clock and returns once the client has confirmed it.
func (c ClientClock) Inject(ctx context.Context, w *World, s Step) (string, func(context.Context) error, error) {
	if err := c.Check(w, s); err != nil {
		return "", nil, err
	}
	client, ok := w.Clients[s.Clients[0]-1].(ClockedClient)
	if !ok {
		return "", nil, fmt.Errorf("client %d has no clock of its own here", s.Clients[0])
	}
	heal := func(ctx context.Context) error {
		_, err := client.SkewClock(ctx, 0)
		if errors.Is(err, ErrNotStruck) { // killed meanwhile: its successor starts with the host's clock
			return nil
		}
		return err
	}
	ctx, cancel, err := uninterrupted(ctx)
	if err != nil {
		return "", nil, err
	}
	defer cancel()
	where, err := client.SkewClock(ctx, s.Offset)
	if err != nil {
		return "", nil, undo(ctx, err, heal)
	}
	return fmt.Sprintf("clock of %s tells %+.3f s", where, s.Offset.Seconds()), heal, nil
}

package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"locktorture/nemesis"
)

// A latency slows the links of one replica. Slowing the links of all would not change their order.
type latency struct{ nemesis.Latency }

var _ nemesis.Substituter = latency{}

// Traits returns the traits of the fault.
func (l latency) Traits() nemesis.Traits {
	t := l.Latency.Traits()
	t.About = "messages between one replica and some servers are delayed, with jitter"
	return t
}

// Plan draws the replica, the servers and the delay.
func (l latency) Plan(d *nemesis.Draw, w *nemesis.World) nemesis.Step {
	s := l.Latency.Plan(d, w)
	s.Clients = []int{1 + d.IntN(len(w.Clients))}
	return s
}

// Inject slows the links and returns once they have delayed a message of the replica itself. A
// replica that sends no message within a TTL is not struck.
func (l latency) Inject(ctx context.Context, w *nemesis.World, s nemesis.Step) (string, func(context.Context) error, error) {
	seen, heal, err := l.Latency.Inject(ctx, w, s)
	if err != nil {
		return "", nil, err
	}
	before := delayed(w, s)
	for end := time.Now().Add(w.TTL); delayed(w, s) == before; {
		if time.Now().After(end) || !pause(ctx, time.Millisecond) {
			err := fmt.Errorf("%w: c%d sent nothing within %v", nemesis.ErrNotStruck, s.Clients[0], w.TTL)
			if herr := heal(context.WithoutCancel(ctx)); herr != nil {
				err = fmt.Errorf("%w: %w", nemesis.ErrNotHealed, herr)
			}
			return "", nil, err
		}
	}
	return seen, heal, nil
}

// Instead slows the links of the first other replica that sends a message.
func (l latency) Instead(ctx context.Context, w *nemesis.World, s nemesis.Step, free []int) (nemesis.Step, string, func(context.Context) error, error) {
	none := fmt.Errorf("%w: no replica sent anything", nemesis.ErrNotStruck)
	silent := s.Clients[0]
	for _, n := range free {
		if n == silent {
			continue
		}
		s.Clients = []int{n}
		seen, heal, err := l.Inject(ctx, w, s)
		if !errors.Is(err, nemesis.ErrNotStruck) {
			return s, seen, heal, err
		}
	}
	return s, "", nil, none
}

// delayed returns the number of messages that the links of a step have delayed.
func delayed(w *nemesis.World, s nemesis.Step) (sum int) {
	for _, c := range s.Clients {
		for _, n := range s.Nodes {
			if l, ok := w.Link(c, n).(interface{ Delayed() int }); ok {
				sum += l.Delayed()
			}
		}
	}
	return sum
}

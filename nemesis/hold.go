package nemesis

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// The modes of Hold.
const (
	HoldMessage = "message" // a request or a reply of the lock service
	HoldWrite   = "write"   // an operation on the protected store
)

// A Hold keeps back messages from or to a client, and delivers them in order when its lease should
// have ended, as a slow network does.
type Hold struct {
	Modes []string // modes to draw from; default: message if there are links, and write
	For   Span     // default 1.1–2 TTL
	Bound Span     // time to wait for a message to hold; default 1 TTL
	Nodes Weights  // for message; default: a majority or all as often as fewer
}

var (
	_ Checker     = Hold{}
	_ Substituter = Hold{}
)

// Traits returns the traits of the fault.
func (Hold) Traits() Traits {
	return Traits{
		Name:           "hold",
		About:          "one request, one reply or one write to the store is delayed; the order of messages does not change",
		Effect:         Held,
		StrikesClients: true,
	}
}

// modes returns the modes to draw from in this world.
func (h Hold) modes(w *World) []string {
	switch {
	case len(h.Modes) > 0:
		return h.Modes
	case hasLinks(w) == nil:
		return []string{HoldMessage, HoldWrite}
	}
	return []string{HoldWrite}
}

// Supports returns an error if there is no client, or no link for a requested message.
func (h Hold) Supports(w *World) error {
	if len(w.Clients) == 0 {
		return errors.New("there is no client whose messages could be held back")
	}
	for _, m := range h.modes(w) {
		if err := checkMode(m, HoldMessage, HoldWrite); err != nil {
			return err
		}
		if m == HoldMessage && hasLinks(w) != nil {
			return hasLinks(w)
		}
	}
	return nil
}

// Plan draws the mode, the client, its links and the direction.
func (h Hold) Plan(d *Draw, w *World) Step {
	s := Step{Mode: d.of("mode", h.modes(w)), Clients: clients(d, w, 1), For: h.For.draw(d, w.TTL, Span{1.1, 2})}
	if s.Mode == HoldMessage {
		s.Nodes = h.Nodes.from(d, "nodes", linked(w), w.Quorum, Weights{1, 1, 1, 1})
		s.Direction = d.of("direction", []string{Requests, Replies})
	}
	return s
}

// Check returns an error unless mode, client, direction and links fit together.
func (Hold) Check(w *World, s Step) error {
	if err := checkMode(s.Mode, HoldMessage, HoldWrite); err != nil {
		return err
	}
	if _, err := theClient(w, s); err != nil {
		return err
	}
	if s.Mode == HoldWrite {
		return nil
	}
	if err := checkDirection(s.Direction); err != nil {
		return err
	}
	_, err := clientPaths(w, s)
	return err
}

// checkDirection returns an error unless d is a direction.
func checkDirection(d Direction) error {
	if d != Requests && d != Replies {
		return fmt.Errorf("direction %q is neither %s nor %s", d, Requests, Replies)
	}
	return nil
}

// Inject returns once a message or an operation is held back, or ErrNotStruck.
func (h Hold) Inject(ctx context.Context, w *World, s Step) (string, func(context.Context) error, error) {
	if err := h.Check(w, s); err != nil {
		return "", nil, err
	}
	limit := bound(w, h.Bound)
	if s.Mode == HoldWrite {
		where, release, err := w.Clients[s.Clients[0]-1].HoldWrite(ctx, limit)
		if err != nil {
			return "", nil, err
		}
		seen, heal := heldWrite(where, release)
		return seen, heal, nil
	}
	paths, err := clientPaths(w, s)
	if err != nil {
		return "", nil, err
	}
	heal := func(context.Context) error { return letGo(paths) }
	err = overAll(paths, func(p path) error { return p.Hold(s.Direction) })
	if err == nil {
		err = waitHeld(ctx, paths, limit)
	}
	if err != nil {
		return "", nil, undo(ctx, err, heal)
	}
	return fmt.Sprintf("held back %s of client %d and %s", s.Direction, s.Clients[0], names(w, s.Nodes)), heal, nil
}

// Instead holds back the first store operation of any client within the bound. A message has no
// substitute, because its client and its nodes belong together.
func (h Hold) Instead(ctx context.Context, w *World, s Step, free []int) (Step, string, func(context.Context) error, error) {
	if s.Mode != HoldWrite {
		return s, "", nil, fmt.Errorf("%w: nothing was sent within %v", ErrNotStruck, bound(w, h.Bound))
	}
	m, err := firstOf(ctx, w, free, func(ctx context.Context, c Client) (string, func(), error) {
		return c.HoldWrite(ctx, bound(w, h.Bound))
	})
	if errors.Is(err, ErrNotStruck) {
		err = fmt.Errorf("%w: no client came to a store operation within %v", ErrNotStruck, bound(w, h.Bound))
	}
	if err != nil {
		return s, "", nil, err
	}
	s.Clients = []int{m.client}
	seen, heal := heldWrite(m.where, m.letGo)
	return s, seen, heal, nil
}

// heldWrite describes a held write, and returns the description with the heal.
func heldWrite(where string, release func()) (string, func(context.Context) error) {
	return "held back a store operation of " + where, func(context.Context) error { release(); return nil }
}

// waitHeld waits until one of the paths holds data back.
func waitHeld(ctx context.Context, paths []path, limit time.Duration) error {
	end := time.Now().Add(limit)
	for time.Now().Before(end) {
		for _, p := range paths {
			if p.Held() > 0 {
				return nil
			}
		}
		if !sleep(ctx, 500*time.Microsecond) {
			return ctx.Err()
		}
	}
	return fmt.Errorf("%w: nothing was sent within %v", ErrNotStruck, limit)
}

// letGo heals the paths and checks that none holds data back.
func letGo(paths []path) error {
	return overAll(paths, func(p path) error {
		if err := p.Heal(); err != nil {
			return err
		}
		if n := p.Held(); n > 0 {
			return fmt.Errorf("still holds %d bytes back", n)
		}
		return nil
	})
}

package nemesis

import (
	"context"
	"errors"
	"fmt"
)

// A KillClient ends a client inside its critical section, as a crash does. Its successor
// starts at once; there is nothing to heal. Where the drawn one does not come there, because
// another holds the lock, whoever comes first is killed, but every third fault kills the drawn
// one as it waits or rests. Where nobody comes nobody is killed: the lock may be dead, and the
// death of each who waits for it would give it another while to be free again.
type KillClient struct {
	Bound Span // how long it waits for the client to enter a critical section; default 1 TTL
}

var (
	_ Substituter = KillClient{}
	_ Checker     = KillClient{}
)

// Traits declares it.
func (KillClient) Traits() Traits {
	return Traits{
		Name:           "kill-client",
		About:          "a client is killed while it holds a lock",
		Effect:         Killed,
		StrikesClients: true,
		NeedsProcess:   true,
		SeenLate:       seenLate,
	}
}

// Supports returns an error if there is no client.
func (KillClient) Supports(w *World) error {
	if len(w.Clients) == 0 {
		return errors.New("there is no client to kill")
	}
	return nil
}

// Plan draws the client.
func (KillClient) Plan(d *Draw, w *World) Step {
	return Step{Clients: clients(d, w, 1)}
}

// Check returns an error unless the step strikes one client.
func (KillClient) Check(w *World, s Step) error {
	_, err := theClient(w, s)
	return err
}

// Inject kills the client and returns once its process is gone. There is nothing to heal: the
// client itself starts its successor. The error wraps ErrNotStruck if the client did not come
// into a section in time.
func (k KillClient) Inject(ctx context.Context, w *World, s Step) (string, func(context.Context) error, error) {
	c, err := theClient(w, s)
	if err != nil {
		return "", nil, err
	}
	where, letGo, err := c.Meet(ctx, bound(w, k.Bound))
	if err != nil {
		return "", nil, err
	}
	defer letGo()
	w.begins()
	_, err = c.Kill(ctx)
	return "killed " + where, nil, err
}

// Instead kills the first client that comes into a section within the bound, or the drawn one
// while that one works.
func (k KillClient) Instead(ctx context.Context, w *World, s Step, free []int) (Step, string, func(context.Context) error, error) {
	m, err := firstOf(ctx, w, free, func(ctx context.Context, c Client) (string, func(), error) { return c.Meet(ctx, bound(w, k.Bound)) })
	if errors.Is(err, ErrNotStruck) {
		err = fmt.Errorf("%w: no client came to work within %v", ErrNotStruck, bound(w, k.Bound))
	}
	if err != nil {
		return s, "", nil, err
	}
	defer m.letGo()
	if drawn := s.Clients[0]; s.N%3 == 0 && m.client != drawn {
		m.letGo() // its lease must not end while it is kept
		w.begins()
		where, err := w.Clients[drawn-1].Kill(ctx)
		return s, "killed " + where, nil, err
	}
	w.begins()
	_, err = w.Clients[m.client-1].Kill(ctx)
	s.Clients = []int{m.client}
	return s, "killed " + m.where, nil, err
}

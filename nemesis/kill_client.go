package nemesis

import (
	"context"
	"errors"
)

// A KillClient kills a client inside its critical section, or, one time in three, while it waits
// for a lock (OnWaiter), as a crash does. Its successor starts immediately; there is nothing to
// heal. If the drawn client does not appear, the first client that does is killed; but every third
// fault meant for a holder kills the drawn client while it waits or rests. If no client waits, a
// holder is killed. If no client works, none is killed: the lock may be dead, and the death of
// every waiter would give it more time to become free.
type KillClient struct {
	Bound Span // time to wait for the client to enter a critical section; default 1 TTL
}

var (
	_ Substituter = KillClient{}
	_ Checker     = KillClient{}
)

// Traits returns the traits of the fault.
func (KillClient) Traits() Traits {
	return Traits{
		Name:           "kill-client",
		About:          "a client is killed while it holds a lock or waits for one",
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

// Plan draws the client, and whether it dies as a holder or as a waiter.
func (KillClient) Plan(d *Draw, w *World) Step {
	s := Step{Clients: clients(d, w, 1)}
	if drawWaiter(d, w) {
		s.Mode = OnWaiter
	}
	return s
}

// Check returns an error unless the step strikes one client.
func (KillClient) Check(w *World, s Step) error {
	if err := checkMode(s.Mode, "", OnWaiter); err != nil {
		return err
	}
	_, err := theClient(w, s)
	return err
}

// Inject kills the client and returns once its process has ended. There is nothing to heal, because
// the client starts its successor itself. The error wraps ErrNotStruck if the client neither
// entered a section in time nor, where requested, started to wait.
func (k KillClient) Inject(ctx context.Context, w *World, s Step) (string, func(context.Context) error, error) {
	c, err := theClient(w, s)
	if err != nil {
		return "", nil, err
	}
	where, letGo, err := meet(ctx, w, s, c, k.Bound)
	if err != nil {
		return "", nil, err
	}
	defer letGo()
	w.begins()
	_, err = c.Kill(ctx)
	return "killed " + where, nil, err
}

// Instead kills the first client that reaches the place of the step. Once a client has reached
// it, every third fault meant for a holder kills the drawn client instead, wherever that is.
func (k KillClient) Instead(ctx context.Context, w *World, s Step, free []int) (Step, string, func(context.Context) error, error) {
	m, err := meetAny(ctx, w, s, free, k.Bound)
	if err != nil {
		return s, "", nil, err
	}
	defer m.letGo()
	if drawn := s.Clients[0]; s.Mode != OnWaiter && s.N%3 == 0 && m.client != drawn {
		m.letGo() // its lease must not end while it is stopped
		w.begins()
		where, err := w.Clients[drawn-1].Kill(ctx)
		return s, "killed " + where, nil, err
	}
	w.begins()
	_, err = w.Clients[m.client-1].Kill(ctx)
	s.Clients = []int{m.client}
	return s, "killed " + m.where, nil, err
}

package nemesis

import (
	"context"
	"errors"
	"math/rand/v2"
)

// A KillClient ends a client inside its critical section, as a crash does. Its
// successor starts at once; there is nothing to heal.
type KillClient struct {
	Bound Span // how long it waits for the client to enter a critical section; default 1 TTL
}

var _ Checker = KillClient{}

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
func (KillClient) Plan(r *rand.Rand, w *World) Step {
	return Step{Clients: clients(r, w, 1)}
}

// Check returns an error unless the step strikes one client.
func (KillClient) Check(w *World, s Step) error {
	_, err := theClient(w, s)
	return err
}

// Inject kills the client and returns once its process is gone. There is nothing to heal: the
// client itself starts its successor.
func (k KillClient) Inject(ctx context.Context, w *World, s Step) (string, func(context.Context) error, error) {
	c, err := theClient(w, s)
	if err != nil {
		return "", nil, err
	}
	where, err := c.Kill(ctx, bound(w, k.Bound))
	if err != nil {
		return "", nil, err
	}
	return "killed " + where, nil, nil
}

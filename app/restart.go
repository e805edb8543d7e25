package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"locktorture/nemesis"
)

// kinds returns the faults that the replicas of a file support, by their names in the file.
func kinds(f *File) map[string]nemesis.Nemesis {
	return map[string]nemesis.Nemesis{
		"pause":     f.pause(),
		"kill":      kill{},
		"restart":   restart{},
		"partition": nemesis.Partition{Modes: []string{nemesis.PartitionClients}},
		"latency":   latency{},
		"hold":      nemesis.Hold{Modes: []string{nemesis.HoldMessage}},
		"clock":     nemesis.Clock{},

		clientClockName: clientClock{boxed: f.Boxed()},
	}
}

// pause returns the pause of the file.
func (f *File) pause() nemesis.Pause {
	p := nemesis.Pause{Modes: []string{nemesis.PauseClient}}
	ttl := float64(f.TTL)
	if f.Pause.Most > 0 {
		p.For = nemesis.Span{Least: float64(f.Pause.Least) / ttl, Most: float64(f.Pause.Most) / ttl}
	}
	return p
}

// A kill is a kill-client of a replica, which its supervisor restarts.
type kill struct{ nemesis.KillClient }

// Traits returns the traits of the fault.
func (kill) Traits() nemesis.Traits {
	t := nemesis.KillClient{}.Traits()
	t.Name, t.About = "kill", "a replica is killed (SIGKILL) inside a run, and started again"
	return t
}

// A restart ends a replica as a deployment does, and starts it again after a while.
type restart struct{}

// A taker is a client that can be taken down and brought up again, as only a replica can.
type taker interface {
	TakeDown(ctx context.Context) (where string, err error)
	BringUp(ctx context.Context) error
}

var _ taker = (*replica)(nil)

// Traits returns the traits of the fault.
func (restart) Traits() nemesis.Traits {
	return nemesis.Traits{
		Name: "restart", About: "a replica is terminated (SIGTERM), and started again", Effect: nemesis.Down,
		StrikesClients: true, NeedsProcess: true, SeenLate: 500 * time.Millisecond,
	}
}

// Supports returns an error if there is no replica.
func (restart) Supports(w *nemesis.World) error {
	if len(w.Clients) == 0 {
		return errors.New("there is no replica to restart")
	}
	return nil
}

// Plan draws the replica and the time of its absence.
func (restart) Plan(d *nemesis.Draw, w *nemesis.World) nemesis.Step {
	return nemesis.Step{Clients: []int{1 + d.IntN(len(w.Clients))}, For: time.Duration((0.1 + 0.4*d.Float64()) * float64(w.TTL))}
}

// Inject ends the replica, inside a run if it can be met there, and returns once its process has
// ended.
func (restart) Inject(ctx context.Context, w *nemesis.World, s nemesis.Step) (string, func(context.Context) error, error) {
	if len(s.Clients) != 1 || s.Clients[0] < 1 || s.Clients[0] > len(w.Clients) {
		return "", nil, fmt.Errorf("needs one replica, not %v", s.Clients)
	}
	c := w.Clients[s.Clients[0]-1]
	t, ok := c.(taker)
	if !ok {
		return "", nil, errors.New("the client is no replica")
	}
	if _, letGo, err := c.Meet(ctx, w.TTL); err == nil {
		letGo()
	}
	where, err := t.TakeDown(ctx)
	if err != nil {
		return "", nil, err
	}
	return "ended " + where, t.BringUp, nil
}

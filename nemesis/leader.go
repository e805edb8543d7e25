package nemesis

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// The modes of Leader.
const (
	LeaderKill = "kill" // kill -9, keeping its data
	LeaderStop = "stop" // SIGSTOP
	LeaderCut  = "cut"  // cut from the other servers in both directions; clients still reach it
)

// A Leader strikes the current leader of the servers. The old leader stays out until the
// others have elected a new one, and for the duration of the step after that. The step names
// all nodes.
type Leader struct {
	Modes []string // modes to draw from; default: all that the world supports
	For   Span     // time that the old leader stays out after a new one was elected; default 0.5–2 TTL
}

var _ Checker = Leader{}

// electionTime bounds the time of an election. Usually an election takes a second or two. On a
// busy machine Consul needs up to 8 s, and ZooKeeper sometimes more than 12 s.
const electionTime = 30 * time.Second

// Traits returns the traits of the fault. The new leader is the observed effect. Until the
// others have elected it, there is no leader.
func (Leader) Traits() Traits {
	return Traits{
		Name:       "leader",
		About:      "the server that leads its cluster is killed, paused or cut off",
		Effect:     Down,
		TakesLocks: true,
		SeenLate:   seenLate,
	}
}

// allows returns nil if the world supports a mode.
func (Leader) allows(mode string, w *World) error {
	switch mode {
	case LeaderKill:
		return able[Restarter](w, "killed and started again", "restart")
	case LeaderStop:
		return able[Pauser](w, "stopped", "pause")
	case LeaderCut:
		return hasPeers(w)
	}
	return checkMode(mode, LeaderKill, LeaderStop, LeaderCut)
}

// modes returns the modes to draw from in this world.
func (l Leader) modes(w *World) []string {
	if len(l.Modes) > 0 {
		return l.Modes
	}
	var modes []string
	for _, m := range []string{LeaderKill, LeaderStop, LeaderCut} {
		if l.allows(m, w) == nil {
			modes = append(modes, m)
		}
	}
	return modes
}

// Supports returns an error if there is no leader or no fault can strike it.
func (l Leader) Supports(w *World) error {
	if w.Leader == nil {
		return errors.New("no server leads the others")
	}
	modes := l.modes(w)
	if len(modes) == 0 {
		return errors.New("the leader cannot be killed, paused or cut off")
	}
	for _, m := range modes {
		if err := l.allows(m, w); err != nil {
			return err
		}
	}
	return nil
}

// Plan draws the mode and the time.
func (l Leader) Plan(d *Draw, w *World) Step {
	return Step{Mode: d.of("mode", l.modes(w)), Nodes: indices(len(w.Nodes)), For: l.For.draw(d, w.TTL, Span{0.5, 2})}
}

// Check returns an error unless the step has a mode that the world supports, and names all nodes.
func (l Leader) Check(w *World, s Step) error {
	if len(s.Nodes) != len(w.Nodes) {
		return fmt.Errorf("the leader may be any node, so all %d nodes must be named", len(w.Nodes))
	}
	return errors.Join(l.allows(s.Mode, w), checkNodes(s))
}

// Inject strikes the leader and returns once another one leads. The heal restores the old leader,
// as a follower or in the role to which it is elected.
func (l Leader) Inject(ctx context.Context, w *World, s Step) (string, func(context.Context) error, error) {
	if err := errors.Join(l.Supports(w), l.Check(w, s)); err != nil {
		return "", nil, err
	}
	old, err := elected(ctx, w, -1)
	if err != nil {
		return "", nil, fmt.Errorf("find the leader: %w", err)
	}
	ctx, cancel, err := uninterrupted(ctx)
	if err != nil {
		return "", nil, err
	}
	defer cancel()
	strike, heal := leaderFault(w, s.Mode, old)
	began := time.Now()
	w.begins()
	if err := strike(ctx); err != nil {
		return "", nil, undo(ctx, err, heal)
	}
	next, err := elected(context.WithoutCancel(ctx), w, old) // it may take longer than a short action
	if err != nil {
		return "", nil, undo(ctx, fmt.Errorf("wait for a leader other than %s: %w", w.Nodes[old].Name(), err), heal)
	}
	done := map[string]string{LeaderKill: "killed", LeaderStop: "stopped", LeaderCut: "cut from the other servers"}[s.Mode]
	return fmt.Sprintf("leader %s %s, %s leads after %v", w.Nodes[old].Name(), done, w.Nodes[next].Name(),
		time.Since(began).Round(time.Millisecond)), heal, nil
}

// leaderFault returns the action of a mode on the leader, and its heal.
func leaderFault(w *World, mode string, leader int) (strike, heal func(context.Context) error) {
	one := []int{leader}
	switch mode {
	case LeaderKill:
		return func(ctx context.Context) error {
				return each(w, one, func(n Restarter) error { return n.Kill(ctx) })
			}, func(ctx context.Context) error {
				return each(w, one, func(n Restarter) error { return n.Start(ctx, false) })
			}
	case LeaderStop:
		return func(ctx context.Context) error {
				return each(w, one, func(n Pauser) error { return n.Pause(ctx) })
			}, func(ctx context.Context) error {
				return each(w, one, func(n Pauser) error { return n.Resume(ctx) })
			}
	}
	paths, err := peerPaths(w, Step{Nodes: one})
	return func(context.Context) error {
		return errors.Join(err, overAll(paths, func(p path) error { return p.Cut() }))
	}, func(context.Context) error { return healAll(paths) }
}

// elected waits for a leader other than one node.
func elected(ctx context.Context, w *World, other int) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, electionTime)
	defer cancel()
	for {
		i, err := w.Leader(ctx)
		if err == nil && i != other {
			return i, nil
		}
		if !sleep(ctx, 5*time.Millisecond) {
			return -1, errors.Join(err, ctx.Err())
		}
	}
}

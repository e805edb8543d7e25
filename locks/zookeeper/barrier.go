package zookeeper

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"locktorture/locks"
)

// A Barrier is the double barrier of ZooKeeper's recipes. Each party has a node at the
// barrier. A party that finds all parties there writes the list of their nodes, which the
// others watch: the parties in the list are inside. To leave, the party with the lowest node
// waits for the highest node to go; the others remove their nodes and wait for the lowest to
// go.
//
// Source: the ZooKeeper Recipes, "Double Barriers". Clock: as Lock.
//
// The recipe is for one meeting: it counts all nodes, and its node "ready" remains. Here, the
// data of the barrier's node takes the place of "ready", and names the parties inside. It is
// written in one transaction that also checks their nodes. So nobody enters beside these
// parties, not even the successor of a dead one, and a party that withdrew in time was
// certainly not counted.
//
// It does not promise that the others wait for a paused or isolated party for longer than its
// session lasts: they leave without it. Each waiter watches all nodes that come and go, so the cost
// of a meeting grows with the square of the parties.
type Barrier struct {
	locks.NotExclusive
	*client
}

var (
	_ locks.Locker  = (*Barrier)(nil)
	_ locks.Barrier = (*Barrier)(nil)
)

// NewBarrier returns a client; it connects when it is first used.
func NewBarrier(cfg Config) *Barrier { return &Barrier{client: newClient(cfg)} }

// BarrierTraits returns the barrier's traits.
func BarrierTraits() locks.Traits {
	t := sessionTraits()
	t.Kind, t.Token, t.Model = locks.DoubleBarrier, false, "barrier"
	return t
}

// Enter creates a node and waits until the party is inside.
func (b *Barrier) Enter(ctx context.Context, name string, parties int) (locks.Lease, error) {
	p := &party{}
	g, err := b.take(ctx, name, func(ctx context.Context, e *entry) (view, error) {
		p.entry = e
		return view{}, p.enter(ctx, parties)
	})
	switch {
	case err == nil:
		return &lease{grant: g, end: func(ctx context.Context) error { return p.leave(ctx, g) }}, nil
	case p.entry == nil || !errors.Is(err, locks.ErrNotAcquired):
		return nil, err
	}
	ctx, cancel := b.graced(ctx)
	defer cancel()
	if m, merr := p.look(ctx); merr != nil || slices.Contains(m.inside, p.entry.name()) {
		return nil, fmt.Errorf("withdrawn, but the others may have gone in with it: %v", err) // so the refusal is not certain any more
	}
	return nil, err
}

// A party is a node at a barrier.
type party struct {
	*entry
	// together lists the nodes of all parties that entered with it, its own included.
	together []string
}

// enter waits until the party is inside. If all parties have come and nobody is inside, it lets
// them in.
func (p *party) enter(ctx context.Context, parties int) error {
	for {
		m, err := p.look(ctx)
		switch {
		case err != nil:
		case slices.Contains(m.inside, p.name()):
			p.together = m.inside
			return nil
		case !slices.Contains(m.there, p.name()):
			err = errGone
		case len(m.there) < parties || len(among(m.there, m.inside)) > 0:
			err = p.awaitEither(ctx, m.opened, m.moved)
		default:
			err = p.open(ctx, m, m.there[:parties])
		}
		if err != nil {
			return err
		}
	}
}

// leave leaves as the recipe requires. A party that stops waiting for the others has left.
func (p *party) leave(ctx context.Context, g *grant) error {
	if !g.Finish() {
		return locks.ErrNotHeld
	}
	p.s.drop(g)
	err := p.part(ctx)
	if err == nil || errors.Is(err, locks.ErrNotHeld) {
		return err
	}
	ctx, cancel := g.client.graced(ctx)
	defer cancel()
	if rerr := p.remove(ctx); rerr != nil && !errors.Is(rerr, locks.ErrNotHeld) {
		p.s.end() // the node must not outlive the session
	}
	return fmt.Errorf("leave: %w", err)
}

// part removes the node and waits until nobody is inside.
func (p *party) part(ctx context.Context) error {
	gone := false
	for {
		inside, err := p.inside(ctx)
		if err != nil {
			return err
		}
		own := slices.Contains(inside, p.name())
		switch {
		case !own && !gone:
			return fmt.Errorf("%w: own node is gone", locks.ErrNotHeld)
		case len(inside) == 0:
			return nil
		case !own:
			err = p.awaitGone(ctx, inside[0])
		case inside[0] == p.name() && len(inside) > 1:
			err = p.awaitGone(ctx, inside[len(inside)-1])
		default:
			err, gone = p.remove(ctx), true
		}
		if err != nil {
			return err
		}
	}
}

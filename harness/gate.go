package harness

import (
	"context"
	"sync"
	"time"
)

// A gate stands between a client's validity check and its store operation. A fault arms it from
// outside. When the client next reaches its gate inside a critical section, the gate shuts, and the
// client waits until it opens.
//
// Gates replace stops at random moments, because a client spends only about a thousandth of its
// time between check and write. Random stops would need hundreds of runs to show what a gate shows
// in one.
//
// Only a pause between check and write can damage a store, so a strike waits for the gate of a
// write. Every third strike takes the first gate inside a section instead, so that strikes also
// stop reads and releases.
type gate struct {
	come func(place) // called when the client reaches the gate; may be nil

	mu      sync.Mutex
	strike  chan string   // set while a fault is armed; receives the place where it struck
	wanted  place         // the least place that the armed strike accepts
	only    bool          // the armed strike accepts no other place
	strikes int           // number of strikes so far
	shut    chan struct{} // set while the gate is shut; closed when it opens
	holds   int           // number of strikes that keep the gate shut; several may overlap
}

// A place is a position of the gate. A fault that waits for one place also accepts every greater
// one, unless its strike sets only.
type place int

const (
	outside place = iota // between sections
	working              // at work in a section, before the next check
	inside               // in a section, before its release
	access               // before a read of the store
	writing              // before a write
)

// String returns the name of the step that follows the place.
func (p place) String() string {
	return [...]string{outside: "begin", working: "work", inside: "release", access: "read", writing: "write"}[p]
}

// pass waits while the gate is shut. It returns early with the error of ctx.
func (g *gate) pass(ctx context.Context, where string, at place) error {
	if g.come != nil {
		g.come(at)
	}
	for {
		g.mu.Lock()
		if g.strike != nil && (at == g.wanted || at > g.wanted && !g.only) {
			g.strike <- where // the receiver now holds the gate shut
			g.strike = nil
			g.close()
		}
		shut := g.shut
		g.mu.Unlock()
		if shut == nil {
			return nil
		}
		select {
		case <-shut:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// isShut returns a channel that is closed when the gate opens; nil if it is open.
func (g *gate) isShut() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.shut
}

// close adds a hold that keeps the gate shut. The caller holds g.mu.
func (g *gate) close() {
	if g.shut == nil {
		g.shut, g.holds = make(chan struct{}), 0
	}
	g.holds++
}

// An opening removes one hold. The gate opens once it has no holds. Calling an opening twice is
// harmless.
type opening func()

// meet waits until the client reaches its gate, shuts the gate, and returns the place. In the first
// half of bound it waits for a write; then any gate from least on will do. After bound it returns
// an empty place and leaves the gate open.
func (g *gate) meet(ctx context.Context, least place, bound time.Duration) (string, opening, error) {
	return g.await(ctx, strike{first: g.next(least), least: least}, bound)
}

// next counts a strike and returns the place that it waits for first.
func (g *gate) next(least place) place {
	g.mu.Lock()
	g.strikes++
	g.mu.Unlock()
	if g.third() {
		return least
	}
	return writing
}

// third reports whether the number of strikes is a multiple of three. Such a strike takes the first
// gate.
func (g *gate) third() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.strikes%3 == 0
}

// armAt waits until the client reaches exactly this place, and shuts the gate there. After bound it
// returns an empty place and leaves the gate open.
func (g *gate) armAt(ctx context.Context, at place, bound time.Duration) (string, opening, error) {
	return g.await(ctx, strike{first: at, least: at, only: true}, bound)
}

// A strike lists the places at which a fault may stop the client.
type strike struct {
	first, least place // least accepted places in the first and in the second half of the bound
	only         bool  // greater places are not accepted
}

// await arms the gate and waits until the strike hits or bound has passed. A strike with only set
// returns at once if another strike is armed. A later strike without only replaces the armed one.
func (g *gate) await(ctx context.Context, s strike, bound time.Duration) (string, opening, error) {
	struck := make(chan string, 1)
	g.mu.Lock()
	if s.only && g.strike != nil {
		g.mu.Unlock()
		return "", func() {}, nil
	}
	g.strike, g.wanted, g.only = struck, s.first, s.only
	g.mu.Unlock()

	half := time.NewTimer(bound / 2)
	defer half.Stop()
	whole := time.NewTimer(bound)
	defer whole.Stop()
	for {
		select {
		case where := <-struck:
			return where, g.opening(), nil
		case <-half.C:
			g.mu.Lock()
			if g.strike == struck {
				g.wanted = s.least
			}
			g.mu.Unlock()
		case <-whole.C:
			where, shut := g.disarm(struck)
			if !shut {
				return "", func() {}, nil
			}
			return where, g.opening(), nil
		case <-ctx.Done():
			if _, shut := g.disarm(struck); shut {
				g.opening()()
			}
			return "", nil, ctx.Err()
		}
	}
}

// disarm cancels a strike. If the strike has hit meanwhile, disarm returns its place and true.
func (g *gate) disarm(struck chan string) (string, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case where := <-struck:
		return where, true
	default:
	}
	if g.strike == struck {
		g.strike = nil
	}
	return "", false
}

// shutNow shuts the gate wherever the client is.
func (g *gate) shutNow() opening {
	g.mu.Lock()
	g.close()
	g.mu.Unlock()
	return g.opening()
}

// opening returns a function that removes one of the present holds.
func (g *gate) opening() opening {
	g.mu.Lock()
	defer g.mu.Unlock()
	shut := g.shut
	return sync.OnceFunc(func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		if shut == nil || g.shut != shut {
			return
		}
		if g.holds--; g.holds == 0 {
			close(shut)
			g.shut = nil
		}
	})
}

// open lets the client go on, however many holds the gate has.
func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.shut != nil {
		close(g.shut)
		g.shut = nil
	}
}

package harness

import (
	"context"
	"sync"
	"time"
)

// A gate stands between a client's validity check and its store operation. A fault is armed
// from outside, and strikes when the client next reaches its gate inside a critical section:
// the gate shuts, and the client goes on when the gate opens.
//
// A gate replaces stops at random moments because a client spends only about one in a thousand
// of its time between check and write. Random stops would need hundreds of runs to show what a
// gate shows in one.
//
// Only a pause between check and write can damage a store, so a strike waits for the gate of a
// write. Every third strike takes the first gate inside a section instead, so that reads and
// releases are struck too.
type gate struct {
	come func(place) // called before the client passes the gate; may be nil

	mu      sync.Mutex
	strike  chan string // set while a fault is armed; receives the place where it struck
	wanted  place       // the least place that the strike accepts
	only    bool        // the strike accepts no other place
	strikes int
	shut    chan struct{} // set while the gate is shut; closed when it opens
	holds   int           // strikes that keep the gate shut; several may overlap
}

// A place is a position of the gate. A fault that wants one place also accepts every greater
// one.
type place int

const (
	outside place = iota // between sections
	working              // at work in a section, before the check of a further operation
	inside               // in a section, before its release
	access               // before a read of the store
	writing              // before a write
)

// String returns the name of the next step.
func (p place) String() string {
	return [...]string{outside: "begin", working: "work", inside: "release", access: "read", writing: "write"}[p]
}

// pass returns at once if the gate is open, else when it opens or ctx ends.
func (g *gate) pass(ctx context.Context, where string, at place) error {
	if g.come != nil {
		g.come(at)
	}
	for {
		g.mu.Lock()
		if g.strike != nil && (at == g.wanted || at > g.wanted && !g.only) {
			g.strike <- where // the receiver holds the gate now
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

// isShut returns a channel that is closed when the gate opens; nil if the gate is open.
func (g *gate) isShut() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.shut
}

// close shuts the gate once more; g.mu is held.
func (g *gate) close() {
	if g.shut == nil {
		g.shut, g.holds = make(chan struct{}), 0
	}
	g.holds++
}

// An opening takes one strike back. The gate opens once no other strike keeps it shut. Calling
// an opening twice is harmless.
type opening func()

// meet waits until the client stands at its gate, and shuts it. For the first half of bound it
// waits for a write; then any gate from least on will do. It returns where the client stood.
// After bound it gives up: where is "" and the gate stays open.
func (g *gate) meet(ctx context.Context, least place, bound time.Duration) (string, opening, error) {
	return g.await(ctx, strike{first: g.next(least), least: least}, bound)
}

// next counts a strike, and returns the place that it waits for first.
func (g *gate) next(least place) place {
	g.mu.Lock()
	g.strikes++
	g.mu.Unlock()
	if g.third() {
		return least
	}
	return writing
}

// third reports whether the strike that was armed last is a third one, which takes the first
// gate.
func (g *gate) third() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.strikes%3 == 0
}

// armAt waits until the client stands at exactly that place, and shuts the gate there. After
// bound it gives up: where is "" and the gate stays open.
func (g *gate) armAt(ctx context.Context, at place, bound time.Duration) (string, opening, error) {
	return g.await(ctx, strike{first: at, least: at, only: true}, bound)
}

// A strike says where a fault wants to strike.
type strike struct {
	first, least place // least places in the first and in the second half of the bound
	only         bool  // greater places do not count
}

// await arms the gate. A strike with only set returns nothing if another strike is armed, and
// gives way to a later one.
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

// disarm takes a strike back. If it has struck meanwhile, disarm returns the place and true.
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

// opening takes back one hold of the gate as it is shut now.
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

// open lets the client go on, regardless of who shut the gate.
func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.shut != nil {
		close(g.shut)
		g.shut = nil
	}
}

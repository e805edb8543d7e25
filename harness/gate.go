package harness

import (
	"context"
	"sync"
	"time"
)

// A gate stands between a client's validity check and its store operation.
// A fault is armed from outside and strikes when the client next stands at
// its gate inside a critical section: the gate shuts, and the client goes on
// when it is opened again.
//
// Why a gate, and not a stop at any moment: a client is in the few microseconds between check
// and write once in a thousand times, so that a stop at random shows what it could show in one
// run of hundreds.
//
// Pauses that strike between check and write are what damages a store, so a
// strike waits for the gate of a write; every third takes the first gate that
// comes inside a section, so that reads and releases are struck too.
type gate struct {
	come func(place) // told before the gate is passed; may be nil

	mu      sync.Mutex
	strike  chan string // set while a fault is armed; receives where it struck
	wanted  place       // the least place that will do
	only    bool        // only the wanted place will do
	strikes int
	shut    chan struct{} // set while the gate is shut; closed when it opens
	holds   int           // strikes that keep it shut: a client may be stopped while it is kept at work
}

// A place is where a gate stands. A fault that wants one place takes every
// greater one too.
type place int

const (
	outside place = iota // between sections
	working              // at work in a section, before the check of a further operation
	inside               // in a section, before its release
	access               // before a read of the store
	writing              // before a write
)

// String is the step that comes next.
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
			g.strike <- where // its receiver holds the gate
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

// isShut is closed when the gate opens; nil: it is open.
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

// An opening takes back one strike. The gate opens when no other keeps it shut. It may be
// called more than once.
type opening func()

// meet waits until the client stands at its gate, and shuts it. It waits for a
// write first; after half of bound any gate from least on will do. It reports where the client
// stood. After bound it gives up: where is "" and the gate is open.
func (g *gate) meet(ctx context.Context, least place, bound time.Duration) (string, opening, error) {
	return g.await(ctx, strike{first: g.next(least), least: least}, bound)
}

// next counts a strike, and returns the least place that it waits for first.
func (g *gate) next(least place) place {
	g.mu.Lock()
	g.strikes++
	g.mu.Unlock()
	if g.third() {
		return least
	}
	return writing
}

// third reports whether the strike that was armed last is a third one, which takes what comes.
func (g *gate) third() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.strikes%3 == 0
}

// armAt waits until the client stands at exactly that place, and shuts the
// gate there. After bound it gives up: where is "" and the gate is open.
func (g *gate) armAt(ctx context.Context, at place, bound time.Duration) (string, opening, error) {
	return g.await(ctx, strike{first: at, least: at, only: true}, bound)
}

// A strike says where a fault wants to strike.
type strike struct {
	first, least place // in the first half of the bound, and after it
	only         bool  // in no greater place
}

// await arms the gate. Whoever wants one place only is content with none where another strike
// is armed, and gives way to one that comes later.
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

// disarm takes a strike back, or returns where it struck meanwhile, and whether it did.
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

// open lets the client go on, whoever shut the gate.
func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.shut != nil {
		close(g.shut)
		g.shut = nil
	}
}

package mutants

import (
	"context"
	_ "embed"
	"fmt"
	"sync"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"locktorture/locks"
)

var (
	//go:embed holds_acquire.lua
	holdSource string
	//go:embed holds_end.lua
	endHoldSource string
	//go:embed holds_extend.lua
	extendSource string
)

// The switches of locks with several holders.
const (
	ReaderExtendsWriter Switch = "reader-extends-writer" // a refused reader gives the writer's lease a new TTL
	ReadersOverlooked   Switch = "readers-overlooked"    // one refused writer in 30 is granted beside the readers
	FirstReaderFrees    Switch = "first-reader-frees"    // the release of a reader releases all readers
	PermitsByClient     Switch = "permits-by-client"     // permits end by the clock of the requesting client
	FreesTwice          Switch = "frees-twice"           // one release in 50 gives its permits back twice
	PermitLeaks         Switch = "permit-leaks"          // one release in 50 is answered, and its permits never expire
	GrantsPart          Switch = "grants-part"           // a request for more permits than are left is granted with fewer
	BarsReaders         Switch = "bars-readers"          // one release in 50 of a writer refuses the lock to all later readers
	BarsWriters         Switch = "bars-writers"          // one release in 50 of a reader refuses the lock to all later writers
	BarsPairs           Switch = "bars-pairs"            // one release in 50 refuses all later requests for two permits
	OneCapacity         Switch = "one-capacity"          // a client uses the greatest capacity that it was given for all semaphores
)

// A holds is a lock that several clients can hold: a sorted set on one Redis, with the holds
// ordered by their ends. Its twin is correct as long as the server keeps its data and its clock.
type holds struct {
	cfg                Config
	rdb                *goredis.Client
	take, give, extend *goredis.Script
}

// newHolds loads the scripts. Permits and readers share them.
func newHolds(c Config) *holds {
	c = c.withDefaults()
	return &holds{c, dial(c.Addrs[0], c.Access), goredis.NewScript(holdSource), goredis.NewScript(endHoldSource), goredis.NewScript(extendSource)}
}

// A Readers is a read–write lock. The first request after it becomes free is granted.
type Readers struct{ *holds }

// A Permits is a semaphore. The first request for which enough permits are left is granted.
type Permits struct {
	locks.NotExclusive
	*holds

	mu sync.Mutex
	// greatest is the greatest capacity that was requested.
	greatest int
}

var (
	_ locks.Sharer    = Readers{}
	_ locks.Permitter = (*Permits)(nil)
)

// NewReaders returns a client of the read–write lock; it connects when it is first used.
func NewReaders(c Config) Readers { return Readers{newHolds(c)} }

// NewPermits returns a client of the semaphore; it connects when it is first used.
func NewPermits(c Config) *Permits { return &Permits{holds: newHolds(c)} }

// ReadersTraits returns the read–write lock's traits.
func ReadersTraits() locks.Traits {
	t := KeyTraits()
	t.Kind, t.Model, t.Token = locks.ReadWrite, "timed-rwlock", false
	return t
}

// PermitsTraits returns the semaphore's traits.
func PermitsTraits() locks.Traits {
	t := ReadersTraits()
	t.Kind, t.Model = locks.Semaphore, "timed-semaphore"
	return t
}

// Acquire tries until the client holds the lock as a writer or ctx is done.
func (r Readers) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	return r.hold(ctx, &holdLease{holds: r.holds, name: name, mode: "w", permits: 1, capacity: 1})
}

// AcquireShared tries until the client holds the lock as a reader or ctx is done.
func (r Readers) AcquireShared(ctx context.Context, name string) (locks.Lease, error) {
	return r.hold(ctx, &holdLease{holds: r.holds, name: name, mode: "r", permits: 1, capacity: 1})
}

// AcquirePermits tries until the client holds n permits or ctx is done.
func (p *Permits) AcquirePermits(ctx context.Context, name string, n, capacity int) (locks.Lease, error) {
	return p.hold(ctx, &holdLease{holds: p.holds, name: name, mode: "p", permits: n, capacity: p.capacity(capacity)})
}

// capacity returns the capacity that the client sends to the server.
func (p *Permits) capacity(asked int) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.greatest = max(p.greatest, asked)
	if asked < p.greatest && p.cfg.does(OneCapacity) {
		return p.greatest
	}
	return asked
}

// Close drops the connections.
func (h *holds) Close() error { return h.rdb.Close() }

// hold waits for a hold. It polls, because the scripts keep no queue.
func (h *holds) hold(ctx context.Context, l *holdLease) (locks.Lease, error) {
	l.owner = h.cfg.Owner + ":" + unique()
	_, err := spin(ctx, h.cfg.Clock, func() (*holdLease, error) { return l, h.try(ctx, l) })
	if err != nil {
		return nil, err
	}
	return l, nil
}

// try sends one request. errTaken is a refusal; any other error leaves the outcome unknown.
func (h *holds) try(ctx context.Context, l *holdLease) error {
	overlooked := ""
	if h.cfg.Switch == GrantsPart {
		overlooked = "part"
	}
	err := h.ask(ctx, l, overlooked)
	switch {
	case err != errTaken:
	case l.mode == "r" && h.cfg.Switch == ReaderExtendsWriter:
		return h.lengthen(ctx, l)
	case l.mode == "w" && h.cfg.doesIn(ReadersOverlooked, 30):
		return h.ask(ctx, l, "r")
	}
	return err
}

// ask requests a hold once. overlooked is a kind of holds that the script ignores, by which some
// mutants grant too much.
func (h *holds) ask(ctx context.Context, l *holdLease, overlooked string) error {
	rctx, cancel := request(ctx)
	defer cancel()
	sent, now := h.cfg.Clock.Now(), ""
	if h.cfg.does(PermitsByClient) {
		now = fmt.Sprint(sent.UnixMilli())
	}
	n, err := h.take.Run(rctx, h.rdb, l.keys(), l.owner, l.mode, l.permits, l.capacity, h.cfg.TTL.Milliseconds(), now, overlooked).Int()
	if err != nil {
		return fmt.Errorf("acquire was not answered: %w", err)
	}
	if n == 0 {
		return errTaken
	}
	if n < l.permits {
		h.cfg.Fired()
	}
	l.kept, l.until = n, sent.Add(h.cfg.TTL)
	return nil
}

// lengthen extends the writer's lease for a refused reader, which is the fault of
// ReaderExtendsWriter.
func (h *holds) lengthen(ctx context.Context, l *holdLease) error {
	rctx, cancel := request(ctx)
	defer cancel()
	n, err := h.extend.Run(rctx, h.rdb, l.keys(), h.cfg.TTL.Milliseconds()).Int()
	if err == nil && n > 0 {
		h.cfg.Fired()
	}
	return errTaken
}

// A holdLease holds the permits of one grant, or a reader's or writer's hold.
type holdLease struct {
	holds             *holds
	name, mode, owner string
	permits, capacity int
	// kept is the number of permits on the server.
	kept  int
	until time.Time
}

var (
	_ locks.Bounded = (*holdLease)(nil)
	_ locks.Owned   = (*holdLease)(nil)
)

// keys returns the keys of the lock in the order that the scripts expect.
func (l *holdLease) keys() []string {
	return []string{locks.Key("holds:", l.name), locks.Key("extra:", l.name), locks.Key("barred:", l.name)}
}

// Until returns the time at which the request was sent plus the TTL.
func (l *holdLease) Until() time.Time { return l.until }

// Owner returns the last part of the hold's member in the set.
func (l *holdLease) Owner() string { return l.owner }

// Release removes the hold from the set.
func (l *holdLease) Release(ctx context.Context) error {
	rctx, cancel := request(ctx)
	defer cancel()
	c, also := &l.holds.cfg, ""
	switch {
	case c.doesIn(FreesTwice, 50):
		also = "twice"
	case c.doesIn(PermitLeaks, 50):
		also = "leak"
	case l.mode == "r" && c.does(FirstReaderFrees):
		also = "all"
	case l.mode == "w" && c.doesIn(BarsReaders, 50):
		also = "bar r1"
	case l.mode == "r" && c.doesIn(BarsWriters, 50):
		also = "bar w1"
	case l.mode == "p" && c.doesIn(BarsPairs, 50):
		also = "bar p2"
	}
	n, err := l.holds.give.Run(rctx, l.holds.rdb, l.keys(), l.mode, l.kept, l.owner, also).Int()
	switch {
	case err != nil:
		return fmt.Errorf("release: %w", err)
	case n == 0:
		return locks.ErrNotHeld
	}
	return nil
}

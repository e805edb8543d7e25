package anchor

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"locktorture/cluster"
	"locktorture/nemesis"
	"locktorture/nemesis/points/faults"
	"locktorture/nemesis/points/schedule"
)

// A Director strikes the faults of a schedule at their points, in one run. Its methods AtGate and
// Outside serve as the fields of harness.Config of the same names.
type Director struct {
	// Least is the shortest main phase, which then ends one TTL after the last fault; 0: the
	// phase ends with its context.
	Least time.Duration

	world *nemesis.World
	kinds nemesis.Kinds
	links func(client, node int) *cluster.Link
	blows []*blow
	due   map[schedule.Point][]*blow

	begun   chan struct{} // closed when the main phase has begun
	strikes sync.WaitGroup

	mu      sync.Mutex // guards what follows
	log     Log        // nil before the main phase
	over    bool
	counts  map[schedule.Point]int // by points without ordinals
	armed   []armed
	lagging []*lagging
	busy    map[string]int // target → number of the fault that strikes it now
	dead    map[int]bool   // clients that were killed at some time
	failure error
}

// A Log takes the faults of a run into its history; harness.Faults is one.
type Log interface {
	Clients() []nemesis.Client     // of the run
	Declare(kind nemesis.Declared) // before the first fault of the kind
	Began(s nemesis.Step)          // it is about to disturb what is seen later
	Struck(s nemesis.Step, seen string)
	NotStruck(s nemesis.Step, why error)
	Healed(s nemesis.Step)
}

// A Strike says whether a decision struck.
type Strike struct {
	Decision schedule.Decision
	Struck   bool
	Why      string // why it did not strike
}

// New makes a director for the servers and the number of clients of a world. kinds are the faults
// that the schedule may need. The error says which decision is not possible here, and why.
func New(s schedule.Schedule, c *cluster.Cluster, world *nemesis.World, kinds nemesis.Kinds) (*Director, error) {
	if err := fits(s, c, world, kinds); err != nil {
		return nil, err
	}
	d := &Director{
		world: world, kinds: kinds, links: c.Link, due: map[schedule.Point][]*blow{}, begun: make(chan struct{}),
		counts: map[schedule.Point]int{}, busy: map[string]int{}, dead: map[int]bool{},
	}
	for i, what := range s {
		b := &blow{Decision: what, step: faults.Step(what, i+1), free: make(chan struct{}), over: make(chan struct{}), why: "its point never came"}
		d.blows = append(d.blows, b)
		d.due[what.At] = append(d.due[what.At], b)
	}
	return d, nil
}

// Steps returns the faults of the schedule as steps of a harness.
func (d *Director) Steps() []nemesis.Step {
	steps := make([]nemesis.Step, 0, len(d.blows))
	for _, b := range d.blows {
		steps = append(steps, b.step)
	}
	return steps
}

// AtGate is called for a client that is about to take a step, and strikes what is due there.
func (d *Director) AtGate(client int, step string) {
	<-d.begun
	d.come(schedule.Point{Client: client, Kind: schedule.Gate, What: step}, &message{})
}

// Outside is the main phase: faults strike until it ends, and are healed then.
func (d *Director) Outside(ctx context.Context, log Log) error {
	for _, kind := range faults.All() {
		log.Declare(kind)
	}
	d.mu.Lock()
	d.log = log
	d.mu.Unlock()
	close(d.begun)
	d.wait(ctx)
	d.mu.Lock()
	d.over = true
	d.mu.Unlock()
	d.strikes.Wait()
	for _, b := range d.blows {
		d.end(b)
		if !b.struck() {
			log.NotStruck(b.step, fmt.Errorf("%w: %s: %v", nemesis.ErrNotStruck, b.reason(), b.At))
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.failure
}

// wait waits until the main phase is over.
func (d *Director) wait(ctx context.Context) {
	if d.Least == 0 {
		<-ctx.Done()
		return
	}
	if !pause(ctx, d.Least) {
		return
	}
	for _, b := range d.blows {
		select {
		case <-b.over:
		case <-ctx.Done():
			return
		}
	}
	pause(ctx, d.world.TTL)
}

// pause reports false if ctx ended first.
func pause(ctx context.Context, long time.Duration) bool {
	select {
	case <-time.After(long):
		return true
	case <-ctx.Done():
		return false
	}
}

// Strikes says of each decision, in their order, whether it struck. It is called after the main
// phase.
func (d *Director) Strikes() []Strike {
	var all []Strike
	for _, b := range d.blows {
		s := Strike{Decision: b.Decision, Struck: b.struck()}
		if !s.Struck {
			s.Why = b.reason()
		}
		all = append(all, s)
	}
	return all
}

// come strikes what the schedule has for a point. m is the message there, which goes on when come
// returns.
func (d *Director) come(at schedule.Point, m *message) {
	d.mu.Lock()
	if d.log == nil || d.over {
		d.mu.Unlock()
		return
	}
	d.counts[at]++
	series := at
	at.Ordinal = d.counts[series]
	all := d.due[at]
	d.strikes.Add(1)
	defer d.strikes.Done()
	d.pass(m)
	d.mu.Unlock()
	for _, b := range all {
		d.strike(b, m)
	}
}

// fail notes the first failure of a strike or a heal.
func (d *Director) fail(b *blow, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.failure = errors.Join(d.failure, fmt.Errorf("fault %d, %s: %w", b.step.N, b.Decision, err))
}

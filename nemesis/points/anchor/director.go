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

// A Director executes the faults of a schedule at their points in one run. Its methods AtGate and
// Outside serve as the fields of harness.Config with these names.
type Director struct {
	// Least is the shortest main phase. The phase ends one TTL after the last fault, but not
	// earlier. 0 means that the phase ends with its context.
	Least time.Duration

	world *nemesis.World
	kinds nemesis.Kinds
	links func(client, node int) *cluster.Link
	addrs []string // addresses of the servers
	names Names
	blows []*blow
	due   map[schedule.Point][]*blow

	begun   chan struct{} // closed when the main phase has begun
	strikes sync.WaitGroup

	mu      sync.Mutex // guards the following
	log     Log        // nil before the main phase
	over    bool
	counts  map[schedule.Point]int // number of times that each point, without ordinal, was reached
	armed   []armed
	lagging []*lagging
	busy    map[string]int // target → number of the fault in effect
	dead    map[int]bool   // clients that were killed at any time
	failure error
}

// A Log writes the faults of a run into its history. harness.Faults implements it.
type Log interface {
	Clients() []nemesis.Client     // the clients of the run
	Declare(kind nemesis.Declared) // called before the first fault of the kind
	Began(s nemesis.Step)          // announces a disturbance whose effect is observed later
	Struck(s nemesis.Step, seen string)
	NotStruck(s nemesis.Step, why error)
	Healed(s nemesis.Step)
}

// A Strike reports whether a decision struck.
type Strike struct {
	Decision schedule.Decision
	Struck   bool
	Why      string // reason why it did not strike
}

// Names makes the functions that name the messages to and from clusters. Its keys are values
// of Point.Server. A value is called once for each connection. It returns a function that
// names the messages that end in b, the next data of the connection in one direction.
type Names map[string]func() func(reply bool, b []byte) []string

// New makes a director for servers and for the clients that will be in world. kinds holds the
// faults that the schedule may need. names names the messages of servers other than Redis. The
// error names a decision that is not possible here, with the reason.
func New(s schedule.Schedule, c *cluster.Cluster, world *nemesis.World, kinds nemesis.Kinds, names Names) (*Director, error) {
	if err := fits(s, c, world, kinds, names); err != nil {
		return nil, err
	}
	d := &Director{
		world: world, kinds: kinds, links: c.Link, addrs: c.Endpoints(0), names: names, due: map[schedule.Point][]*blow{}, begun: make(chan struct{}),
		counts: map[schedule.Point]int{}, busy: map[string]int{}, dead: map[int]bool{},
	}
	for i, what := range s {
		b := &blow{Decision: what, step: faults.Step(what, i+1), free: make(chan struct{}), over: make(chan struct{}), why: "its point never came"}
		d.blows = append(d.blows, b)
		d.due[what.At] = append(d.due[what.At], b)
	}
	return d, nil
}

// Steps returns the faults of the schedule as steps of the harness.
func (d *Director) Steps() []nemesis.Step {
	steps := make([]nemesis.Step, 0, len(d.blows))
	for _, b := range d.blows {
		steps = append(steps, b.step)
	}
	return steps
}

// AtGate is called for a client that is about to take a step. It strikes the faults that are due
// there.
func (d *Director) AtGate(client int, step string) {
	<-d.begun
	d.come(schedule.Point{Client: client, Kind: schedule.Gate, What: step}, &message{})
}

// Outside runs the main phase: faults strike until it ends, and are then healed.
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

// wait waits until the main phase has ended.
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

// pause waits for a duration. It returns false if ctx ended first.
func pause(ctx context.Context, long time.Duration) bool {
	select {
	case <-time.After(long):
		return true
	case <-ctx.Done():
		return false
	}
}

// Strikes returns the result of each decision, in the order of the schedule. It must be called
// after the main phase.
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

// come executes the decisions of the schedule at a point. m is the message there, which continues
// when come returns.
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

// fail records a failure of a strike or a heal. Outside returns all failures, joined.
func (d *Director) fail(b *blow, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.failure = errors.Join(d.failure, fmt.Errorf("fault %d, %s: %w", b.step.N, b.Decision, err))
}

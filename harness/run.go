package harness

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"locktorture/history"
	"locktorture/locks/driver"
	"locktorture/nemesis"
)

// A Run is one run of a Config.
type Run struct {
	cfg     Config
	clients []*client

	opened    time.Time // time at which all clients were ready
	monoStart int64     // CLOCK_MONOTONIC at the zero of the history's clock

	leases   atomic.Int64
	tally    tally
	demand   *demand
	holdings holdings
	probes   probes
	faults   *Faults
	tail     tail

	mu      sync.Mutex
	failure error // the first failure of the harness itself; nil: none
	stop    context.CancelFunc

	done    chan struct{}
	watches sync.WaitGroup
}

// New makes a run with clients of its own, in a copy of the world of cfg.
func New(cfg Config) (*Run, error) {
	if cfg.Theirs != nil {
		cfg.Clients = 0
	} else if cfg.Clients < 1 {
		return nil, fmt.Errorf("clients: %d: at least one is needed", cfg.Clients)
	}
	if cfg.Fencing != FencingOff && !cfg.Traits.Token {
		return nil, errors.New("fencing needs a lock whose leases carry tokens")
	}
	if cfg.AcquireTimeout == 0 {
		cfg.AcquireTimeout = 2 * min(cfg.TTL, math.MaxInt64/2)
	}
	cfg.setTail()
	r := &Run{cfg: cfg, demand: newDemand(), holdings: holdings{leases: map[holding]int{}}, done: make(chan struct{})}
	r.faults = newFaults(r)
	r.probes = probes{run: r, locks: map[string]*probed{}}
	r.tail = tail{cfg: &r.cfg, resting: make(chan struct{})}
	for kind, n := range cfg.Kinds {
		r.faults.declare(kind, n)
	}
	world := *cfg.World
	world.Clients = cfg.Theirs
	for n := 1; n <= cfg.Clients; n++ {
		c := newClient(r, n)
		r.clients = append(r.clients, c)
		world.Clients = append(world.Clients, &c.target)
	}
	r.cfg.World = &world
	return r, nil
}

// Go carries out the schedule while the clients work. It returns once all faults are healed, all
// clients have stopped, and the end is recorded. An error means that the harness itself failed, not
// the lock. When ctx ends early, Go heals the faults, ends the run in order and returns nil; if the
// cause of ctx is an Early, the history records it as the reason.
func (r *Run) Go(ctx context.Context, steps []nemesis.Step) error {
	if err := r.begin(ctx); err != nil {
		if ctx.Err() == nil { // if ctx is done, some clients may still be connecting
			r.Fail(err)
		}
		return r.end(early(ctx))
	}
	work, stop := context.WithCancel(ctx)
	defer stop()
	r.stop = stop
	r.opened = time.Now()
	var group, working sync.WaitGroup
	for _, c := range r.clients {
		working.Add(1)
		group.Go(func() {
			defer working.Done()
			if err := c.work(work); err != nil {
				r.Fail(err)
			}
		})
	}
	idle, rest := context.WithCancel(work) // rest ends idle early once all clients have done their sections
	defer rest()
	if len(r.clients) > 0 {
		go func() {
			working.Wait()
			rest()
		}()
	}
	if r.cfg.Progress != nil {
		group.Go(func() { r.report(work) })
	}

	// The heartbeat outlives the work, because a stall may have delayed the last entries, too. So do
	// the probes, because the servers may be silent during the roll call. The last probe shows when
	// they answered again.
	beating, silence := context.WithCancel(context.WithoutCancel(ctx))
	var watch sync.WaitGroup
	watch.Go(func() { r.heartbeat(beating) })
	if r.cfg.Prober != nil {
		watch.Go(func() { r.probes.repeat(beating) })
	}
	r.watchServers(beating)

	r.strike(idle, steps)
	switch {
	case idle.Err() != nil:
	case r.cfg.Rest != nil:
		r.tail.begin()
		r.cfg.Rest(work)
	default:
		r.quiet(work)
	}
	cut := early(ctx) // an interrupt after this point shortens no phase
	stop()
	if r.failed() != nil { // a pause that could not be ended has left the gate of its client shut
		for _, c := range r.clients {
			c.gate.open()
		}
	}
	group.Wait()
	if cut == "" && r.failed() == nil {
		r.rollCall(ctx)
		r.countPermits(ctx) // no client uses the semaphores any more
		r.probes.lookAtAll(ctx, true)
		cut = early(ctx)
	}
	silence()
	watch.Wait()
	return r.end(cut)
}

// begin writes the initial state and opens the clients' locks.
func (r *Run) begin(ctx context.Context) error {
	if r.cfg.Workload != nil {
		if err := r.init(ctx); err != nil {
			return err
		}
	}
	r.monoStart = driver.Monotonic() - r.cfg.Now()
	return r.openAll(ctx)
}

// end closes the clients, records the end, and returns the failures of the harness. It closes all
// clients at once, because open clients keep reconnecting.
func (r *Run) end(cut Early) error {
	var closing sync.WaitGroup
	for _, c := range r.clients {
		closing.Go(func() {
			c.gate.open()
			if err := c.life.close(); err != nil {
				r.Fail(fmt.Errorf("close client %d: %w", c.number, err))
			}
		})
	}
	closing.Wait()
	close(r.done)
	r.watches.Wait()
	r.recordEnd(cut)
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failure
}

// connectingAtOnce is the number of clients that connect at the same time if Config.Warm is set.
const connectingAtOnce = 16

// openAll opens the clients' locks concurrently. It opens none after ctx has ended.
func (r *Run) openAll(ctx context.Context) error {
	errs := make([]error, len(r.clients))
	var group errgroup.Group
	if r.cfg.Warm {
		group.SetLimit(connectingAtOnce)
	}
	for i, c := range r.clients {
		group.Go(func() error {
			if errs[i] = ctx.Err(); errs[i] != nil {
				return nil
			}
			if errs[i] = c.life.revive(ctx); errs[i] == nil && r.cfg.Warm {
				errs[i] = c.warm(ctx)
			}
			return nil
		})
	}
	_ = group.Wait() // the errors are in errs
	return joined(errs)
}

// joined joins errors. It keeps only one error of each text, because clients often fail for the
// same reason.
func joined(errs []error) error {
	var list []error
	for _, err := range errs {
		if err != nil && !slices.ContainsFunc(list, func(o error) bool { return o.Error() == err.Error() }) {
			list = append(list, err)
		}
	}
	return errors.Join(list...)
}

// strike carries out the phase with faults. All its faults are healed when it returns.
func (r *Run) strike(ctx context.Context, steps []nemesis.Step) {
	phase, cancel := context.WithTimeout(ctx, r.cfg.Duration)
	defer cancel()
	if len(steps) > 0 {
		err := nemesis.Execute(phase, r.cfg.World, steps, r.cfg.Kinds, nemesis.Events{
			Began: r.faults.Began, Struck: r.faults.Struck, Healed: r.faults.Healed, NotStruck: r.faults.NotStruck,
		})
		if err != nil {
			r.Fail(fmt.Errorf("nemesis: %w", err))
		}
	}
	if r.cfg.Outside != nil {
		if err := r.cfg.Outside(phase, r.faults); err != nil {
			r.Fail(fmt.Errorf("faults from outside: %w", err))
		}
		return
	}
	<-phase.Done()
}

// failed returns the first failure of the harness itself, or nil.
func (r *Run) failed() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failure
}

// Fail stores a failure of the harness, which neither the lock nor the program caused, and ends the
// run.
func (r *Run) Fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failure == nil {
		r.failure = err
	}
	if r.stop != nil {
		r.stop()
	}
}

// record writes an entry of the history and returns it with its time. If the recorder fails, the
// run ends.
func (r *Run) record(op history.Op) history.Op {
	stamped, err := r.cfg.Record(op)
	if err != nil && !errors.Is(err, history.ErrClosed) { // entries after the end are dropped
		r.Fail(fmt.Errorf("recorder: %w", err))
	}
	if op.Type == history.Invoke { // Progress counts invocations
		r.tally.ops.Add(1)
	}
	return stamped
}

// sinceStart converts a CLOCK_MONOTONIC reading to a time of the history, both in ns.
func (r *Run) sinceStart(mono int64) int64 { return max(mono, r.monoStart) - r.monoStart }

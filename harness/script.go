package harness

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"locktorture/locks"
	"locktorture/nemesis"
)

// A Script is a run whose clients are driven step by step. It records the same entries as any run.
// Its methods are safe for concurrent use, but each client does one step at a time.
type Script struct {
	run    *Run
	faults int

	mu   sync.Mutex
	ctx  context.Context // context of the probes and the heartbeat; nil until Begin
	stop context.CancelFunc
	look sync.WaitGroup

	asked int64 // time of the latest query by Look, in ns of the history
}

// NewScript makes a scripted run. It ignores Duration and Kinds of the Config, and uses Workload
// only for the initial state.
func NewScript(cfg Config) (*Script, error) {
	r, err := New(cfg)
	if err != nil {
		return nil, err
	}
	return &Script{run: r}, nil
}

// Begin writes the initial state, opens the clients' locks, and starts the probes and the
// heartbeat. If it fails, the run has ended.
func (s *Script) Begin(ctx context.Context) error {
	if err := s.run.begin(ctx); err != nil {
		if ctx.Err() == nil {
			s.run.Fail(err)
		}
		return errors.Join(err, s.run.end(early(ctx)))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ctx, s.stop = context.WithCancel(ctx)
	s.look.Go(func() { s.run.heartbeat(s.ctx) })
	if s.run.cfg.Prober != nil {
		s.look.Go(func() { s.run.probes.repeat(s.ctx) })
	}
	return nil
}

// End closes the clients, records the end, and returns the errors of the harness. cut is the reason
// for an early end, or ""; failed is the error that stopped the script, or nil.
func (s *Script) End(cut Early, failed error) error {
	s.mu.Lock()
	stop := s.stop
	s.stop = nil
	s.mu.Unlock()
	if stop == nil {
		return nil
	}
	stop()
	s.look.Wait()
	if failed != nil {
		s.run.Fail(failed)
	}
	return s.run.end(cut)
}

// Client returns client n, counted from 1.
func (s *Script) Client(n int) *Scripted {
	return &Scripted{script: s, client: s.run.clients[n-1]}
}

// Broken returns the error of a client process that ended although no fault killed it; nil if all
// processes answer.
func (s *Script) Broken() error {
	for _, c := range s.run.clients {
		if err := c.life.broken(); err != nil {
			return err
		}
	}
	return nil
}

// Now returns the current time of the history, in ns.
func (s *Script) Now() int64 { return s.run.cfg.Now() }

// Struck records a fault whose effect was observed, and returns the step with its name and number.
// Every fault but the kill of a client must be followed by Healed.
func (s *Script) Struck(fault nemesis.Declared, step nemesis.Step, seen string) nemesis.Step {
	step.Fault = fault.Traits().Name
	s.run.faults.Declare(fault)
	s.mu.Lock()
	s.faults++
	step.N = s.faults
	s.mu.Unlock()
	s.run.faults.Struck(step, seen)
	return step
}

// Healed records the end of a fault.
func (s *Script) Healed(step nemesis.Step) { s.run.faults.Healed(step) }

// errBlind is returned by Look if the servers cannot be queried.
var errBlind = errors.New("the servers of this lock cannot be probed")

// Look probes the servers now. Saw records the result.
func (s *Script) Look(ctx context.Context, lock string) ([]locks.Sight, error) {
	if s.run.cfg.Prober == nil {
		return nil, errBlind
	}
	asked := s.run.cfg.Now()
	sights, err := s.run.cfg.Prober.Probe(ctx, lock)
	if err != nil {
		return nil, fmt.Errorf("look at %s: %w", lock, err)
	}
	s.mu.Lock()
	s.asked = asked
	s.mu.Unlock()
	return sights, nil
}

// Saw records sights of the latest Look.
func (s *Script) Saw(lock string, sights []locks.Sight) {
	s.mu.Lock()
	asked := s.asked
	s.mu.Unlock()
	for _, sight := range sights {
		s.run.probes.record(lock, sight, asked)
	}
}

// A Grant is a lease of a scripted client.
type Grant struct{ h *held }

// Number returns the number of the lease in the history.
func (g *Grant) Number() int64 { return g.h.number }

// Lock returns the name of the lock.
func (g *Grant) Lock() string { return g.h.lock }

// Token returns the fencing token; 0 if there is none.
func (g *Grant) Token() uint64 { return g.h.token }

// Owner returns the value by which the servers identify the lease; "" if unknown.
func (g *Grant) Owner() string {
	if o, ok := g.h.lease.(locks.Owned); ok {
		return o.Owner()
	}
	return ""
}

// Validity returns the earliest and the latest end of the validity as last reported, in ns of the
// history. Both are 0 if none was reported.
func (g *Grant) Validity() (least, most int64) { return g.h.untilMin, g.h.untilMax }

// Lost returns a channel that is closed when the lock reports the loss of the lease; nil if the
// lock reports no losses.
func (g *Grant) Lost() <-chan struct{} { return g.h.lost }

// The errors of a scripted step.
var (
	// ErrUnknown: the outcome is unknown, and the client has a new process number.
	ErrUnknown = errUnknown
	// ErrDead: the client was killed.
	ErrDead = errDead
)

package harness

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"locktorture/locks"
	"locktorture/nemesis"
)

// A Script is a run whose clients do nothing by themselves: each is told step by step what to
// do. It records as every run does. Its methods may be called from several goroutines; one
// client does one thing at a time.
type Script struct {
	run    *Run
	faults int

	mu   sync.Mutex
	ctx  context.Context // of the probes and the heartbeat; nil until Begin
	stop context.CancelFunc
	look sync.WaitGroup

	asked int64 // when Look asked the servers last
}

// NewScript makes a scripted run. Of the Config it needs neither Duration nor
// Kinds; its Workload is asked for the initial state only.
func NewScript(cfg Config) (*Script, error) {
	r, err := New(cfg)
	if err != nil {
		return nil, err
	}
	return &Script{run: r}, nil
}

// Begin writes the initial state, opens the clients' locks and begins to look at the servers
// and at the machine's own pace. Where that fails the run has ended.
func (s *Script) Begin(ctx context.Context) error {
	if err := s.run.begin(ctx); err != nil {
		if ctx.Err() == nil {
			s.run.fail(err)
		}
		return errors.Join(err, s.run.end(early(ctx)))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ctx, s.stop = context.WithCancel(ctx)
	s.look.Go(func() { s.run.heartbeat(s.ctx) })
	if s.run.cfg.Prober != nil {
		s.look.Go(func() { s.run.probe(s.ctx) })
	}
	return nil
}

// End closes the clients, records the end and returns what failed of the harness itself. cut
// is why the script ended early and in order, failed what failed of the harness so far.
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
		s.run.fail(failed)
	}
	return s.run.end(cut)
}

// Client returns client n, from 1.
func (s *Script) Client(n int) *Scripted {
	return &Scripted{script: s, client: s.run.clients[n-1]}
}

// Broken is why the process of a client answers no more although nobody killed it; nil if all
// do.
func (s *Script) Broken() error {
	for _, c := range s.run.clients {
		if err := c.broken(); err != nil {
			return err
		}
	}
	return nil
}

// Now is the time of the history, in ns.
func (s *Script) Now() int64 { return s.run.cfg.Now() }

// Struck records a fault whose effect was seen, and returns its step with its name and
// number. Every fault must be followed by Healed, but for a killed client.
func (s *Script) Struck(fault nemesis.Declared, step nemesis.Step, seen string) nemesis.Step {
	step.Fault = fault.Traits().Name
	s.run.declare(step.Fault, fault)
	s.mu.Lock()
	s.faults++
	step.N = s.faults
	s.mu.Unlock()
	s.run.faultStruck(step, seen)
	return step
}

// Healed records the end of a fault.
func (s *Script) Healed(step nemesis.Step) { s.run.faultHealed(step) }

// errBlind is returned by Look if the servers cannot be asked.
var errBlind = errors.New("the servers of this lock cannot be looked at")

// Look looks at the servers now, and records what was seen.
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

// Saw records sights, of the last Look, as they stand in the history.
func (s *Script) Saw(lock string, sights []locks.Sight) {
	s.mu.Lock()
	asked := s.asked
	s.mu.Unlock()
	for _, sight := range sights {
		s.run.recordSight(lock, sight, asked)
	}
}

// A Grant is a lease that a scripted client was granted.
type Grant struct{ h *held }

// Number is the number of the lease in the history.
func (g *Grant) Number() int64 { return g.h.number }

// Lock is the name of the lock.
func (g *Grant) Lock() string { return g.h.lock }

// Token is the fencing token, 0 if there is none.
func (g *Grant) Token() uint64 { return g.h.token }

// Owner is the owner value under which the servers keep the lease; "" if unknown.
func (g *Grant) Owner() string {
	if o, ok := g.h.lease.(locks.Owned); ok {
		return o.Owner()
	}
	return ""
}

// Validity returns the end of the validity as last told, in ns of the
// history: at the earliest, and at the latest. Zero if nothing was told.
func (g *Grant) Validity() (least, most int64) { return g.h.untilMin, g.h.untilMax }

// Lost is closed when the loss of the lease is told; nil if it never tells.
func (g *Grant) Lost() <-chan struct{} { return g.h.lost }

// Answers of the harness to a scripted step.
var (
	// ErrUnknown: the outcome is unknown; the client goes on under a new
	// process number.
	ErrUnknown = errUnknown
	// ErrDead: the client was killed.
	ErrDead = errDead
)

package harness

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"locktorture/history"
	"locktorture/locks"
)

// errDead ends the section of a client that was killed.
var errDead = errors.New("client was killed")

// A client is one client of the run; its process number changes when a process is retired or
// killed. One goroutine does its work, and faults reach it from other goroutines.
type client struct {
	run    *Run
	number int // counts from 1

	gate gate

	mu      sync.Mutex // guards the fields below, and orders a kill with the client's records
	process int
	alive   bool
	locker  locks.Locker
	ended   context.CancelFunc // cancels the client's work when it is killed
	shut    opening            // opens the gate that a pause keeps shut
	waiting *wait              // nil if the client does not wait

	// The fields below belong to the goroutine that does the client's work.
	rng      *rand.Rand // of the present process
	sections int        // sections that ended with a known outcome
	due      time.Duration
	arrived  bool // due is the due time of a section
	again    bool // the due section had an unknown outcome: the next section takes its place
	ran      int  // campaigns of the client so far
}

// processRand returns the random source of a process. It depends on the seed and the process
// number only.
func processRand(seed uint64, process int) *rand.Rand {
	return rand.New(rand.NewPCG(seed, uint64(process)+1))
}

// record writes an entry of the client under its present process number.
func (c *client) record(op history.Op) history.Op {
	op.Client = c.number
	return c.run.record(op)
}

// invoke records the invocation of an operation. It fails if the client is dead: after a kill
// no operation may start.
func (c *client) invoke(op history.Op) (history.Op, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.alive {
		return op, errDead
	}
	op.Process, op.Type = c.process, history.Invoke
	return c.record(op), nil
}

// complete writes the completion of an invoked operation.
func (c *client) complete(op history.Op, t history.Type, err error) history.Op {
	op.Type = t
	if err != nil {
		op.Error = err.Error()
	}
	return c.record(op)
}

// completeAlive is complete for an operation that succeeded, unless its client was killed
// before. The answer to a dead client proves nothing, because the service may have undone its
// effect since.
func (c *client) completeAlive(op history.Op) (done history.Op, alive bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.alive {
		return op, false
	}
	return c.complete(op, history.OK, nil), true
}

// work runs sections until ctx ends.
func (c *client) work(ctx context.Context) error {
	for ctx.Err() == nil && !c.finished() {
		if err := c.revive(ctx); err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return fmt.Errorf("client %d: %w", c.number, err)
		}
		life, end := context.WithCancel(ctx)
		c.mu.Lock()
		if c.alive {
			c.ended = end
		} else {
			end()
		}
		c.mu.Unlock()
		c.live(life)
		end()
	}
	return nil
}

// live runs the sections of one process until an operation has an unknown outcome, the client
// is killed, or the run ends.
func (c *client) live(ctx context.Context) {
	for ctx.Err() == nil && !c.finished() {
		section := c.run.cfg.Workload.Next(c.rng, c.process)
		fenced := c.run.drawFenced(c.rng)
		c.arrive(ctx, section.Think)
		if ctx.Err() != nil {
			return // the wait for its turn was cut short
		}
		if c.gate.pass(ctx, "between sections", outside) != nil {
			return
		}
		err := c.observes(ctx, section.Locks)
		if err == nil {
			err = c.section(ctx, section, fenced)
		}
		if err == nil {
			c.sections++
		}
		switch {
		case errors.Is(err, errUnknown):
			if err := c.broken(); err != nil {
				c.run.fail(err)
				return
			}
			c.retire()
			c.again = true
			sleep(ctx, unknownPause)
			return
		case errors.Is(err, errDead):
			return
		case err != nil:
			c.run.fail(err)
			return
		}
	}
}

// broken returns why the client's process answers no more although no fault killed it. That is
// a fault of the program, not of the lock.
func (c *client) broken() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	p, ok := c.locker.(interface{ Err() error })
	if !ok || !c.alive || p.Err() == nil {
		return nil
	}
	return fmt.Errorf("client %d: %w", c.number, p.Err())
}

// finished reports whether the client has done all its sections.
func (c *client) finished() bool {
	return c.run.cfg.Sections > 0 && c.sections >= c.run.cfg.Sections
}

// unknownPause is the pause after an operation of unknown outcome, so that a server that is
// down is not asked in a tight loop.
const unknownPause = 20 * time.Millisecond

// retire gives the client a new process number after an unknown outcome. It keeps the
// connection: an application does not restart because a request timed out, and what the earlier
// process left behind still belongs to the client.
func (c *client) retire() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.alive {
		c.process += c.run.cfg.Clients
		c.rng = processRand(c.run.cfg.Seed, c.process)
	}
}

// revive opens the client's lock if it has none: at the start, and after a kill.
func (c *client) revive(ctx context.Context) error {
	c.mu.Lock()
	if c.alive {
		c.mu.Unlock()
		return nil
	}
	if c.locker != nil {
		c.process += c.run.cfg.Clients
		c.rng = processRand(c.run.cfg.Seed, c.process)
	}
	process := c.process
	c.mu.Unlock()

	var locker locks.Locker
	var err error
	for deadline := time.Now().Add(openLimit); ; {
		if locker, err = c.run.cfg.Open(ctx, c.number, process); err == nil {
			break
		}
		// A fault may have taken the service down; the client tries again until it is healed.
		if ctx.Err() != nil || time.Now().After(deadline) {
			return fmt.Errorf("open lock: %w", err)
		}
		sleep(ctx, 50*time.Millisecond)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.locker, c.alive = locker, true
	return nil
}

// openLimit bounds the client's tries to open its lock.
const openLimit = 30 * time.Second

// close ends the client at the end of the run.
func (c *client) close() error {
	c.gate.open()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.locker == nil || !c.alive {
		return nil
	}
	c.alive = false
	return c.locker.Close()
}

// sleep waits for d or until ctx ends.
func sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

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

// errDead ends the section of a killed client.
var errDead = errors.New("client was killed")

// A client is one client of the run. Its process number changes when a process is retired or
// killed. One goroutine does its work; faults call its methods from other goroutines.
type client struct {
	run    *Run
	number int // counts from 1

	gate gate

	mu      sync.Mutex // guards the fields below, and orders a kill with the client's records
	process int
	alive   bool
	locker  locks.Locker
	ended   context.CancelFunc // cancels the client's work when it is killed
	shut    opening            // opens the gate that a pause shut; nil: no pause
	waiting *wait              // nil if the client does not wait

	// The fields below belong to the goroutine that does the client's work.
	rng      *rand.Rand    // random source of the current process
	sections int           // number of sections with a known outcome
	due      time.Duration // due time of the latest section, counted from the start of the run
	arrived  bool          // due holds the due time of a section
	again    bool          // the section in progress had an unknown outcome, and the next one takes its due time
	ran      int           // number of the client's campaigns so far
}

// processRand returns the random source of a process, which depends only on the seed and the
// process number, so that a replayed run draws the same sections.
func processRand(seed uint64, process int) *rand.Rand {
	return rand.New(rand.NewPCG(seed, uint64(process)+1))
}

// record writes an entry of the client.
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

// complete records the completion of an invoked operation. err, if not nil, is recorded as its
// error.
func (c *client) complete(op history.Op, t history.Type, err error) history.Op {
	op.Type = t
	if err != nil {
		op.Error = err.Error()
	}
	return c.record(op)
}

// completeAlive records the success of an operation, unless its client was killed before. The
// answer to a dead client proves nothing, because the service may have undone the effect since.
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
		fenced := c.run.cfg.fenced(c.rng)
		c.arrive(ctx, section.Think)
		if ctx.Err() != nil {
			return // ctx ended while the client waited for its due time
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

// broken returns the error of a client's process that ended although no fault killed it. Such an
// end is an error of the program, not of the lock.
func (c *client) broken() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	p, ok := c.locker.(interface{ Err() error })
	if !ok || !c.alive || p.Err() == nil {
		return nil
	}
	return fmt.Errorf("client %d: its process has ended, and no fault ended it: %w", c.number, p.Err())
}

// finished reports whether the client has completed the configured number of sections.
func (c *client) finished() bool {
	return c.run.cfg.Sections > 0 && c.sections >= c.run.cfg.Sections
}

// unknownPause is the pause after an operation of unknown outcome. It keeps clients from sending
// requests in a tight loop while a server is down.
const unknownPause = 20 * time.Millisecond

// retire gives the client a new process number after an unknown outcome. The client keeps its
// connection, because an application does not restart when a request times out. Leases of the
// earlier process still belong to the client.
func (c *client) retire() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.alive {
		c.process += c.run.cfg.Clients
		c.rng = processRand(c.run.cfg.Seed, c.process)
	}
}

// revive opens the client's lock if it is not open: at the start, and after a kill.
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
	for begin := time.Now(); ; {
		if locker, err = c.run.cfg.Open(ctx, c.number, process); err == nil {
			break
		}
		// A fault may have stopped the service; the client tries again until the fault is healed.
		if ctx.Err() != nil || min(time.Since(begin), c.run.faults.calm()) > openLimit {
			return fmt.Errorf("open lock: %w", err)
		}
		sleep(ctx, 50*time.Millisecond)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.locker, c.alive = locker, true
	return nil
}

// openLimit bounds the time in which a client tries to open its lock while no fault is in place.
const openLimit = 30 * time.Second

// close ends the client at the end of the run. A dead client is closed already.
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

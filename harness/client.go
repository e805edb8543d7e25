package harness

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// A client is one client of the run. One goroutine does its work.
type client struct {
	run    *Run
	number int // counts from 1

	gate   gate
	life   life
	target target

	// The fields below belong to the goroutine that does the client's work.
	sections int           // number of sections with a known outcome
	due      time.Duration // due time of the latest section, counted from the start of the run
	arrived  bool          // due holds the due time of a section
	again    bool          // the section in progress had an unknown outcome, and the next one takes its due time
	ran      int           // number of the client's campaigns so far
}

// newClient makes client n of a run.
func newClient(r *Run, n int) *client {
	c := &client{run: r, number: n, life: life{run: r, client: n, process: n - 1, rng: processRand(r.cfg.Seed, n-1)}}
	c.target = target{life: &c.life, gate: &c.gate}
	if at := r.cfg.AtGate; at != nil {
		c.gate.come = func(p place) { at(n, p.String()) }
	}
	return c
}

// work runs sections until ctx ends.
func (c *client) work(ctx context.Context) error {
	for ctx.Err() == nil && !c.finished() {
		if err := c.life.revive(ctx); err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return fmt.Errorf("client %d: %w", c.number, err)
		}
		life, end := c.life.begin(ctx)
		c.live(life)
		end()
	}
	return nil
}

// live runs the sections of one process until an operation has an unknown outcome, the client
// is killed, or the run ends.
func (c *client) live(ctx context.Context) {
	for ctx.Err() == nil && !c.finished() {
		section := c.run.cfg.Workload.Next(c.life.rng, c.life.process)
		fenced := c.run.cfg.fenced(c.life.rng)
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
			if err := c.life.broken(); err != nil {
				c.run.Fail(err)
				return
			}
			c.life.retire()
			c.again = true
			sleep(ctx, unknownPause)
			return
		case errors.Is(err, errDead):
			return
		case err != nil:
			c.run.Fail(err)
			return
		}
	}
}

// finished reports whether the client has completed the configured number of sections.
func (c *client) finished() bool {
	return c.run.cfg.Sections > 0 && c.sections >= c.run.cfg.Sections
}

// unknownPause is the pause after an operation of unknown outcome. It keeps clients from sending
// requests in a tight loop while a server is down.
const unknownPause = 20 * time.Millisecond

// sleep waits for d or until ctx ends.
func sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

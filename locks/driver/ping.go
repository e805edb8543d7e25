package driver

import (
	"context"
	"fmt"
	"time"
)

// pingLimit bounds the time in which a running driver must answer a request that needs no
// server. It is far longer than any delay on a busy machine.
const pingLimit = 10 * time.Second

// ping distinguishes a driver that waits for its service from one that hangs: it sends the present
// clock offset again, which every driver answers at once. It kills a driver that does not answer.
func (c *calls) ping() {
	if !c.pinging.CompareAndSwap(false, true) {
		return
	}
	defer c.pinging.Store(false)
	p := &pending{done: make(chan answer, 1)}
	id, err := c.enter(p)
	if err != nil {
		return
	}
	err = c.pipe.write(request{ID: id, Op: opClock, Offset: c.offset.Load()})
	if err == nil && c.answers(p) {
		return
	}
	why := fmt.Sprintf("no answer to a clock request within %v; ask, clock and cancel must be answered also while an acquire waits", pingLimit)
	if err != nil {
		why = err.Error()
	}
	c.hangs(why)
}

// hangs kills a driver that does not answer.
func (c *calls) hangs(why string) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	c.die(fmt.Errorf("driver process %d hangs: %s", c.proc.PID(), why))
	_ = c.proc.Kill(ctx) // Close names a process that is left behind
}

// answers reports whether a reply arrives, or the driver ends, within pingLimit. The time for which
// the driver is paused does not count.
func (c *calls) answers(p *pending) bool {
	for {
		t := time.NewTimer(pingLimit)
		select {
		case <-p.done:
			t.Stop()
			return true
		case <-t.C:
		}
		if !c.stopped.Load() {
			return false
		}
	}
}

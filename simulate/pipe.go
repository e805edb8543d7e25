package simulate

import (
	"context"
	"time"

	"locktorture/simulate/machine"
)

// A pipe joins the harness to the standard input and output of a driver.
type pipe struct {
	w      *world
	driver *process
	file   *machine.File // the harness's end
	gone   bool
}

// pipeTime is the time that a line takes.
const pipeTime = 5 * time.Microsecond

// taken is the first byte on an established connection, refusal the one on a refused connection.
const (
	taken   = "+"
	refusal = "-"
)

// startDriver starts the driver of a client for the harness.
func (p *process) startDriver(client, number int) *machine.File {
	d, err := p.w.start("driver", client, number)
	if err != nil {
		p.w.fail("start driver: %w", err)
		return nil
	}
	p.w.drivers[client] = d
	d.pipe = &pipe{w: p.w, driver: d, file: &machine.File{}}
	d.pipe.file.Tag = d.pipe
	p.w.sum.note("start", number, nil)
	p.w.clock.after(0, d.kick)
	d.pipe.reply([]byte(taken))
	return d.pipe.file
}

// request delivers a line of the harness to the driver.
func (k *pipe) request(b []byte) {
	k.w.sum.note("ask", k.driver.number, b)
	k.w.clock.after(pipeTime, func() {
		if !k.driver.proc.Done() {
			k.driver.proc.File(0).Deliver(b)
			k.driver.kick()
		}
	})
}

// reply delivers the driver's output to the harness.
func (k *pipe) reply(b []byte) {
	k.w.sum.note("answer", k.driver.number, b)
	k.toHarness(func() { k.file.Deliver(b) })
}

func (k *pipe) toHarness(do func()) {
	k.w.clock.after(pipeTime, func() {
		if !k.gone && !k.w.harness.proc.Done() {
			do()
			k.w.harness.kick()
		}
	})
}

// end reports the end of the driver to the harness, and closes the driver's connections.
func (k *pipe) end() {
	k.toHarness(k.file.EOF)
	k.hangUp()
}

// closed kills the driver, because the harness has closed the pipe.
func (k *pipe) closed() {
	k.gone = true
	k.w.clock.after(0, func() {
		_ = k.driver.proc.Close(context.WithoutCancel(k.w.ctx))
		k.hangUp()
	})
}

// hangUp closes the driver's connections, as the kernel does for a dead process.
func (k *pipe) hangUp() {
	for _, c := range k.driver.conns {
		if !c.over {
			c.closed()
		}
	}
}

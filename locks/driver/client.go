package driver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"time"

	"locktorture/locks"
)

// A Client is a Locker whose lock lives in a child process. The child can be paused, resumed and
// killed, and its clock can be moved.
type Client struct {
	proc     Process
	calls    *calls
	trier    bool
	declared *Declared
	blame    func(error) error
	// host moves the wall clock of the driver's process. It is nil if the driver itself moves
	// the clock that it gives its lock.
	host    hostClock
	closing atomic.Bool
	killed  atomic.Bool
}

var (
	_ locks.Locker = (*Client)(nil)
	_ locks.Trier  = (*Client)(nil)

	_ locks.Sharer    = (*Client)(nil)
	_ locks.Permitter = (*Client)(nil)
	_ locks.Elector   = (*Client)(nil)
	_ locks.Observer  = (*Client)(nil)
)

// A Process is the process of a driver as its Client sees it: a child process or a simulated
// one.
type Process interface {
	PID() int
	Done() <-chan struct{} // closed when the process has ended
	Err() error            // reason for the end; nil before it
	Strays() error         // error that names the processes left behind; valid after the end
	Pause(ctx context.Context) error
	Resume(ctx context.Context) error
	Kill(ctx context.Context) error
}

// A hostClock moves the wall clock of the driver's process.
type hostClock interface {
	Set(offset time.Duration) error
}

// Requests is the write end of a driver's stdin.
type Requests interface {
	io.WriteCloser
	SetWriteDeadline(t time.Time) error
}

// Attach opens a lock in a running driver. Of the Command it uses only Tap, Grace and Blame. ctx
// limits only the opening. From then on the Client owns the driver and both of its pipes.
func Attach(ctx context.Context, proc Process, in Requests, out io.ReadCloser, c Command, o Open) (*Client, error) {
	return attach(ctx, proc, in, out, c, o, nil)
}

// attach starts the listener before it sends open, because a driver may write events at any time.
// If open fails, the driver is ended.
func attach(ctx context.Context, proc Process, in Requests, out io.ReadCloser, c Command, o Open, host hostClock) (*Client, error) {
	o.HostClock = host != nil
	if c.Grace <= 0 {
		c.Grace = 2 * time.Second
	}
	k := &Client{proc: proc, host: host, blame: c.Blame, calls: newCalls(proc, c.Grace, &pipe{in: in, tap: c.Tap})}
	go k.calls.listen(out)
	if err := k.open(ctx, o); err != nil {
		what := strings.TrimSpace("open " + o.Backend) // an open that only asks for the traits names no lock
		return nil, errors.Join(fmt.Errorf("%s: %w", what, err), k.destroy())
	}
	return k, nil
}

// open makes the lock in the child and reads the traits that it declares.
func (c *Client) open(ctx context.Context, o Open) error {
	o.Version = Version
	a := c.calls.make(ctx, request{Op: opOpen, Open: &o})
	if a.err != nil {
		return a.err
	}
	if err := a.reply.err(); err != nil {
		return refusedError{err}
	}
	c.trier = a.reply.Try
	if v := a.reply.Version; v > Version {
		return fmt.Errorf("driver speaks version %d of the protocol, this is version %d", v, Version)
	}
	var err error
	c.declared, err = parseDeclared(a.reply.Traits)
	return err
}

// Trier reports whether the lock supports TryAcquire.
func (c *Client) Trier() bool { return c.trier }

// Declared returns the traits from the driver's reply to open.
func (c *Client) Declared() *Declared { return c.declared }

// Err returns the reason why the driver no longer answers. It is nil while the driver lives, and
// after Close or Kill.
func (c *Client) Err() error {
	if c.closing.Load() || c.killed.Load() {
		return nil
	}
	return c.fault(c.calls.err())
}

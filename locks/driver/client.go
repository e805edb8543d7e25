package driver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"locktorture/locks"
)

// A Client is a Locker whose lock lives in a child process. The child can be paused, resumed and
// killed, and its clock can be moved.
type Client struct {
	proc     Process
	grace    time.Duration
	trier    bool
	declared *Declared
	tap      func(Line)
	blame    func(error) error
	// host moves the wall clock of the driver's process. It is nil if the driver itself moves
	// the clock that it gives its lock.
	host hostClock
	// stopped is true from before the child stops until after it runs again.
	stopped atomic.Bool
	closing atomic.Bool
	killed  atomic.Bool

	// inMu serializes the writes to in, because a request is one line and pipes may split longer
	// writes.
	inMu sync.Mutex
	in   Requests

	mu   sync.Mutex
	last int64
	// The following fields are guarded by mu.
	pending map[int64]*pending
	// late holds the ids of requests whose callers no longer wait. Their replies are discarded.
	late map[int64]bool
	// leases holds the leases that are granted and not yet released. Events refer to them.
	leases map[int64]*Lease
	// granted holds the numbers of all leases ever granted. A driver must not use one twice.
	granted numbers
	// dead is the error that ended the driver's answers. It is nil while the driver lives.
	dead error
	// offset is the offset of the child's clock as last set, in ns.
	offset  int64
	pinging bool
}

var (
	_ locks.Locker = (*Client)(nil)
	_ locks.Trier  = (*Client)(nil)

	_ locks.Sharer    = (*Client)(nil)
	_ locks.Permitter = (*Client)(nil)
	_ locks.Elector   = (*Client)(nil)
	_ locks.Observer  = (*Client)(nil)
)

// A pending is a call that waits for its reply.
type pending struct {
	// name is the name of the lock, for a grant.
	name  string
	grant bool
	// done is buffered, so that the reader never blocks.
	done chan answer
	// given reports that the caller no longer waits; a later grant is released at once.
	given bool
}

// An answer is a reply together with the lease that it granted.
type answer struct {
	reply reply
	lease *Lease
	// err is set if no reply will arrive.
	err error
}

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
	k := &Client{proc: proc, host: host, grace: c.Grace, tap: c.Tap, blame: c.Blame, in: in, pending: map[int64]*pending{}, late: map[int64]bool{}, leases: map[int64]*Lease{}, granted: numbers{}}
	if k.grace <= 0 {
		k.grace = 2 * time.Second
	}
	go k.listen(out)
	if err := k.open(ctx, o); err != nil {
		what := strings.TrimSpace("open " + o.Backend) // an open that only asks for the traits names no lock
		return nil, errors.Join(fmt.Errorf("%s: %w", what, err), k.destroy())
	}
	return k, nil
}

// open makes the lock in the child and reads the traits that it declares.
func (c *Client) open(ctx context.Context, o Open) error {
	o.Version = Version
	a := c.call(ctx, request{Op: opOpen, Open: &o})
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

// error returns the error of the transport if there is one, and otherwise the error in the
// reply.
func (a answer) error() error {
	if a.err != nil {
		return a.err
	}
	return a.reply.err()
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
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.fault(c.dead)
}

// write sends one request as a single Write.
func (c *Client) write(q request) error {
	b, err := json.Marshal(q)
	if err != nil {
		return err
	}
	b = append(b, '\n')
	c.inMu.Lock()
	defer c.inMu.Unlock()
	// The pipe has room for hundreds of requests, so a write blocks only if the driver has
	// stopped reading. The deadline keeps it from blocking forever.
	_ = c.in.SetWriteDeadline(time.Now().Add(writeLimit))
	c.show(true, b)
	if _, err := c.in.Write(b); err != nil {
		return fmt.Errorf("write to driver: %w", err)
	}
	return nil
}

// writeLimit bounds the wait for a driver to read a request.
const writeLimit = 10 * time.Second

// show passes a line to the tap of the Command.
func (c *Client) show(sent bool, line []byte) {
	if c.tap != nil {
		c.tap(Line{Sent: sent, Text: string(bytes.TrimSpace(line))})
	}
}

// listen reads replies until the child ends or breaks the protocol.
func (c *Client) listen(out io.ReadCloser) {
	defer out.Close()
	err := c.read(out)
	if errors.Is(err, io.EOF) {
		// The end of the file comes slightly before the process can be waited for.
		select {
		case <-c.proc.Done():
			err = c.proc.Err()
		case <-time.After(c.grace):
			err = fmt.Errorf("driver process %d closed its stdout and went on", c.proc.PID())
		}
	}
	// A driver that breaks the protocol must not keep its lock.
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_ = c.proc.Kill(ctx)
	c.die(err)
}

// die fails all waiting and all later calls with err.
func (c *Client) die(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dead == nil {
		c.dead = err
	}
	for id, p := range c.pending {
		delete(c.pending, id)
		p.done <- answer{err: err}
	}
}

//go:build wasip1 || simulated

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"

	"locktorture/locks"
	"locktorture/locks/driver"
	"locktorture/simulate/inside"
)

// startDriver has the host start a driver, and opens the lock in it.
func startDriver(ctx context.Context, o inside.Order, client, process int) (locks.Locker, error) {
	conn, err := (*locks.Access)(nil).Dial(ctx, "host", inside.DriverAddr(client, process))
	if err != nil {
		return nil, fmt.Errorf("start driver: %w", err)
	}
	g := &guest{Conn: conn, client: client, number: process, done: make(chan struct{})}
	return driver.Attach(ctx, g, g, g, driver.Command{}, driver.Open{
		Backend: o.Backend, Options: o.Options, Endpoints: o.Endpoints, TTL: o.TTL, Client: client, Process: process,
	})
}

// A guest is a driver in a process of the simulation, at the other end of a connection that is
// its stdin and its stdout. It ends with the connection.
type guest struct {
	net.Conn
	client, number int

	once sync.Once
	done chan struct{}
	err  error
}

var (
	errEnded  = errors.New("the driver ended")
	errKilled = errors.New("the driver was killed")
)

// Read reads its stdout.
func (g *guest) Read(b []byte) (int, error) {
	n, err := g.Conn.Read(b)
	if errors.Is(err, io.EOF) {
		g.end(errEnded)
	}
	return n, err
}

func (g *guest) end(err error) {
	g.once.Do(func() {
		g.err = err
		close(g.done)
	})
}

// PID is the number of its process.
func (g *guest) PID() int { return g.number }

// Done is closed when it has ended.
func (g *guest) Done() <-chan struct{} { return g.done }

// Err is why it has ended.
func (g *guest) Err() error {
	select {
	case <-g.done:
		return g.err
	default:
		return nil
	}
}

// Strays is nil: a guest starts nothing.
func (g *guest) Strays() error { return nil }

// Pause stops it where it is.
func (g *guest) Pause(context.Context) error {
	ask(inside.AskHalt, g.client, g.number)
	return nil
}

// Resume lets it go on.
func (g *guest) Resume(context.Context) error {
	ask(inside.AskGoOn, g.client, g.number)
	return nil
}

// Kill ends it where it is.
func (g *guest) Kill(context.Context) error {
	g.end(errKilled)
	return g.Close()
}

// Close ends it where it is. A second call does nothing.
func (g *guest) Close() error {
	if err := g.Conn.Close(); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

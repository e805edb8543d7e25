package runs

import (
	"context"
	"fmt"
	"io"
	"os"

	"locktorture/harness"
	"locktorture/locks"
	"locktorture/locks/driver"
	"locktorture/registry"
	"locktorture/report"
	"locktorture/trial"
)

// Clients say how those of a trial open their locks.
type Clients struct {
	Backend   registry.Backend
	Open      driver.Open // what all of them are told: Backend, TTL, Options
	InProcess bool        // they are no processes of their own
	direct    bool        // they go past the proxies
	hostClock bool        // the wall clocks of their processes can be moved
	secrets   trial.Secrets
	own       Own // the lock of somebody's test; nil: it is the backend that is opened
}

// clients returns the settings of a run's clients.
func (s Run) clients() Clients {
	return Clients{
		Backend: s.Lock, InProcess: s.InProcess, direct: s.direct(), secrets: s.secrets(), hostClock: s.movesHostClock(),
		Open: driver.Open{Backend: s.Name(), TTL: s.TTL, Options: s.Options}, own: s.Own,
	}
}

// Meet returns the lock of a backend on running servers. A driver is asked what it declares.
func (c Clients) Meet(ctx context.Context, on trial.Servers, d *trial.Dir) (l trial.Lock, err error) {
	b := c.Backend
	if b.Driver != nil {
		if b, err = b.Learn(ctx, on.Cluster, c.Open.TTL); err != nil {
			return l, Broken(err)
		}
		l.Versions = []report.Version{{Name: "driver " + b.Driver.Name(), Version: b.Driver.Declared.Lock}}
	}
	b = b.Through(registry.Args{Access: on.Access, Prefix: on.Prefix})
	l.Traits, l.Retry, l.Control = b.Traits, b.Retry, b.Control
	for _, v := range b.ProgramVersions() {
		l.Versions = append(l.Versions, report.Version{Name: v.Module, Version: v.Version})
	}
	l.Open = func(ctx context.Context, client, process int) (locks.Locker, error) {
		o := c.Open
		o.Client, o.Process = client, process
		o.Access, o.Prefix = on.Access, on.Prefix
		o.Endpoints = on.Endpoints(c.link(client))
		switch {
		case c.own != nil:
			return c.own.Open(ctx, o, d.Log(client))
		case c.InProcess:
			return OpenFor(ctx, o, &locks.SkewedClock{})
		case b.Driver != nil:
			return b.Driver.Open(ctx, o, d.Log(client))
		case b.Program != "":
			return c.startProgram(ctx, o, c.secrets.Writer(d.Log(client)))
		}
		return startSelf(ctx, o, c.secrets.Writer(d.Log(client)), c.hostClock)
	}
	if c.own != nil {
		l.Names = c.own.Names()
	}
	if b.Prober != nil {
		l.Prober = func() (locks.Prober, error) { return b.Prober(on.Cluster) }
	}
	return l, nil
}

// link is the number of a client's proxies; 0 goes past them.
func (c Clients) link(client int) int {
	if c.direct {
		return 0
	}
	return client
}

var _ harness.Process = (*driver.Client)(nil)

// startProgram starts the program of the lock as the process of a client.
func (c Clients) startProgram(ctx context.Context, o driver.Open, log io.Writer) (locks.Locker, error) {
	k, err := c.Backend.Start(ctx, o, log, c.hostClock)
	if err != nil {
		return nil, err // not the nil client
	}
	return k, nil
}

// startSelf starts this program as the process of a client.
func startSelf(ctx context.Context, o driver.Open, log io.Writer, hostClock bool) (locks.Locker, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c, err := driver.Start(ctx, driver.Command{Path: self, Args: []string{"driver"}, Stderr: log, HostClock: hostClock}, o)
	if err != nil {
		return nil, err // not the nil client
	}
	return c, nil
}

// OpenFor opens the backend that an open request names.
func OpenFor(ctx context.Context, o driver.Open, clock *locks.SkewedClock) (locks.Locker, error) {
	b, ok := registry.Find(o.Backend, registry.Locks())
	if !ok {
		return nil, fmt.Errorf("no backend is called %q", o.Backend)
	}
	return b.OpenWithin(ctx, registry.Args{
		Endpoints: o.Endpoints, TTL: o.TTL, Owner: o.Owner(), Clock: clock, Options: o.Options,
		Access: o.Access, Prefix: o.Prefix,
	})
}

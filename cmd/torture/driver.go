package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"locktorture/harness"
	"locktorture/locks"
	"locktorture/locks/driver"
	"locktorture/registry"
)

// newDriver is the hidden command that is one client's lock in a process of
// its own.
func newDriver() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "driver",
		Short: "test a lock of your own (docs/first-driver.md)",
		Long: `A driver is a program that holds one client of a lock. Without a command below,
this one is itself such a program: it serves one client's lock on stdin and
stdout (docs/driver-protocol.md).`,
		Args: cobra.NoArgs,
		// A driver reads no configuration; the commands below this one do.
		PersistentPreRunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Name() == "driver" {
				return nil
			}
			return prepare(cmd, args)
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := driver.Serve(cmd.Context(), openFor, cmd.InOrStdin(), cmd.OutOrStdout()); err != nil {
				return broken(err)
			}
			return nil
		},
	}
	cmd.AddCommand(newDriverCheck(), newDriverCost())
	return cmd
}

// openFor opens the backend that an open request names.
func openFor(ctx context.Context, o driver.Open, clock *locks.SkewedClock) (locks.Locker, error) {
	b, ok := registry.Find(o.Backend, registry.Locks())
	if !ok {
		return nil, fmt.Errorf("no backend is called %q", o.Backend)
	}
	return b.OpenWithin(ctx, registry.Args{
		Endpoints: o.Endpoints, TTL: o.TTL, Owner: o.Owner(), Clock: clock, Options: o.Options,
		Access: o.Access, Prefix: o.Prefix,
	})
}

// opener says how the clients of a run open their locks: in processes of
// their own, or in this one.
func (p *prepared) opener() func(ctx context.Context, client, process int) (locks.Locker, error) {
	args := func(client, process int) driver.Open {
		link := client
		if p.spec.direct() {
			link = 0
		}
		return driver.Open{
			Backend: p.spec.Backend, Endpoints: p.cluster.Endpoints(link), TTL: p.spec.TTL,
			Client: client, Process: process, Access: p.spec.access, Prefix: p.spec.prefix,
		}
	}
	if p.spec.InProcess {
		return func(ctx context.Context, client, process int) (locks.Locker, error) {
			return openFor(ctx, args(client, process), &locks.SkewedClock{})
		}
	}
	if d := p.backend.Driver; d != nil {
		return func(ctx context.Context, client, process int) (locks.Locker, error) {
			c, err := d.Start(ctx, args(client, process), p.dir.stderr(client), nil)
			if err != nil {
				return nil, err
			}
			return c, nil
		}
	}
	return func(ctx context.Context, client, process int) (locks.Locker, error) {
		self, err := os.Executable()
		if err != nil {
			return nil, err
		}
		return driver.Start(ctx, driver.Command{Path: self, Args: []string{"driver"}, Stderr: p.logOf(client)}, args(client, process))
	}
}

var _ harness.Process = (*driver.Client)(nil)

// stderr is where a client's driver writes its log.
func (d *runDir) stderr(client int) io.Writer {
	return &lazyFile{path: d.file(fmt.Sprintf("client-%d.log", client))}
}

// A lazyFile is made when something is written to it.
type lazyFile struct{ path string }

func (f *lazyFile) Write(b []byte) (int, error) {
	out, err := os.OpenFile(f.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return 0, err
	}
	defer out.Close()
	return out.Write(b)
}

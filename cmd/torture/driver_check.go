package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"locktorture/drivertest"
	"locktorture/internal/cli"
	"locktorture/internal/exit"
	"locktorture/registry"
	"locktorture/runs"
)

// A driverSpec is what the flags of the driver commands say.
type driverSpec struct {
	Topology string
	TTL      time.Duration
	chosen   bool // the TTL was named
	Options  map[string]string
	runs.ServerSpec

	Only  []string
	Trace bool
	N     int
}

func newDriverCheck(known map[string]registry.Backend) *cobra.Command {
	var s driverSpec
	cmd := &cobra.Command{
		Use:   "check COMMAND|NAME",
		Short: "check that a driver obeys the protocol, and that its lock behaves like a lock",
		Long: `check starts the servers that the driver needs. Then check tests the rules of the
protocol, and after them the rules of a lock. For some rules, check cuts the connections
to the servers. For a failed check, the output shows what was sent, what came back and
what was expected.

exit codes: 0 all checks passed, 1 a check failed, 2 wrong usage, 4 the harness itself
failed, 5 the driver failed: it is missing, hangs, floods its output, dies, writes lines
that do not belong to the protocol, closes its output, or leaves processes behind`,
		Example: `  torture driver check 'python3 my_lock.py' --topology redis
  torture driver check redis-py --only try,cancel --trace`,
		Args: cli.OneArg("a driver's command or name"),
		RunE: func(cmd *cobra.Command, args []string) error { return driverCheck(cmd, known, s, args[0]) },
	}
	driverFlags(cmd, known, &s)
	cmd.Flags().StringSliceVar(&s.Only, "only", nil, "names of the checks to run")
	cmd.Flags().BoolVar(&s.Trace, "trace", false, "print every line of the protocol")
	return cmd
}

// driverFlags are the flags of the commands that take a driver.
func driverFlags(cmd *cobra.Command, known map[string]registry.Backend, s *driverSpec) {
	f := cmd.Flags()
	f.StringVar(&s.Topology, "topology", "", "topology of the servers; not needed if you name a backend")
	s.ServerSpec.Register(f)
	f.DurationVar(&s.TTL, "ttl", 2*time.Second, "time to live of a lease, for locks with a TTL")
	f.StringToStringVar(&s.Options, "option", nil, "option of the driver, NAME=VALUE; may be repeated")
	completions(cmd, known)
}

// open finds the driver that an argument names, starts its servers, and asks what it declares.
// The subject must be closed.
func (s driverSpec) open(ctx context.Context, known map[string]registry.Backend, arg string) (*drivertest.Subject, error) {
	if err := s.ServerSpec.Check(registry.NotForDrivers); err != nil {
		return nil, err
	}
	lock := runs.LockSpec{Driver: arg, Options: s.Options, Topology: s.Topology}
	if named, ok := known[arg]; ok {
		if named.Driver == nil {
			return nil, exit.Usage("%s is a lock of this repository, not a driver", arg)
		}
		lock = runs.LockSpec{Backend: arg, Options: s.Options, Topology: s.Topology}
	}
	b, err := lock.Lookup(known)
	if err != nil {
		return nil, err
	}
	if b.Serve == nil {
		if b.Topology, err = lock.TopologyOn(b); err != nil {
			return nil, err
		}
	}
	if !s.chosen {
		s.TTL = max(s.TTL, b.Traits.LeastTTL) // that of its entry in torture.yaml
	}
	subject, err := drivertest.Open(ctx, s.Servers, lock.Name(), b, s.TTL)
	if err != nil {
		return nil, runs.ServedNot(err, "--cluster "+s.Cluster)
	}
	if least := subject.Backend.Traits.LeastTTL; s.TTL < least {
		return nil, errors.Join(exit.Usage("--ttl %s: must be at least the least_ttl of the driver, %s", s.TTL, least), subject.Close())
	}
	return subject, nil
}

func driverCheck(cmd *cobra.Command, known map[string]registry.Backend, s driverSpec, arg string) (err error) {
	if err := drivertest.Known(s.Only); err != nil {
		return exit.Usage("%v", err)
	}
	out := cmd.OutOrStdout()
	s.chosen = cmd.Flags().Changed("ttl")
	b, err := s.open(cmd.Context(), known, arg)
	if err != nil {
		return err
	}
	defer func() {
		if cerr := b.Close(); cerr != nil && err == nil {
			err = runs.Broken(cerr)
		}
	}()
	fmt.Fprintf(out, "driver: %s\nlock: %s\ntraits: %s, model %s\n", b.Backend.Driver.Name(),
		b.Backend.Driver.Declared.Lock, strings.Join(b.Backend.TraitNames(), ", "), b.Backend.Traits.Model)
	n, err := drivertest.Check(cmd.Context(), *b, s.Only, s.Trace, out)
	if err != nil {
		return runs.Broken(err)
	}
	fmt.Fprintf(out, "%d passed, %d failed, %d not applicable\n", n.Passed, n.Failed, n.NotApplicable)
	if n.Failed > 0 {
		return exit.Silent(exit.Violated)
	}
	return nil
}

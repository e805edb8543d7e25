package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"locktorture/drivertest"
	"locktorture/internal/exit"
	"locktorture/registry"
)

// A driverSpec is what the flags of the driver commands say.
type driverSpec struct {
	run   runSpec // which driver, on what
	Only  []string
	Trace bool
	N     int
}

func newDriverCheck(known map[string]registry.Backend) *cobra.Command {
	var s driverSpec
	cmd := &cobra.Command{
		Use:   "check COMMAND|NAME",
		Short: "check that a driver keeps the protocol and its lock the contract",
		Long: `check starts a driver's servers, breaks the links to them, and checks first the rules
of the protocol, then those of a lock. A check that fails says what was sent,
what came back and what was expected.

exit codes: 0 all checks passed, 1 a check failed, 2 usage, 4 the driver hangs,
floods, writes what is no protocol, closes its output, leaves processes behind or dies`,
		Example: `  torture driver check 'python3 my_lock.py' --topology redis
  torture driver check redis-py --only try,cancel --trace`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return driverCheck(cmd, known, s, args[0]) },
	}
	driverFlags(cmd, known, &s)
	cmd.Flags().StringSliceVar(&s.Only, "only", nil, "these checks")
	cmd.Flags().BoolVar(&s.Trace, "trace", false, "show every line that is exchanged")
	return cmd
}

// driverFlags are the flags of the commands that take a driver.
func driverFlags(cmd *cobra.Command, known map[string]registry.Backend, s *driverSpec) {
	f := cmd.Flags()
	f.StringVar(&s.run.Topology, "topology", "", "the servers that the driver is given (not needed for the name of a backend)")
	s.run.serverSpec.register(f)
	f.DurationVar(&s.run.TTL, "ttl", 2*time.Second, "time to live of a lease, for locks that have one")
	f.StringToStringVar(&s.run.Options, "option", nil, "an option of the driver, NAME=VALUE; may be repeated")
	completions(cmd, known)
}

// A driverBench is a driver and its servers, which must be closed.
type driverBench struct {
	drivertest.Subject
	dir string
}

// openBench finds the driver that an argument names, starts its servers, and
// asks what it declares. close must be called also after an error.
func openBench(ctx context.Context, known map[string]registry.Backend, s runSpec, arg string) (b *driverBench, err error) {
	if err := s.serverSpec.check(notForDrivers); err != nil {
		return nil, err
	}
	s.Driver, s.Backend, s.Clients = arg, "driver", drivertest.Clients
	if named, ok := known[arg]; ok {
		if named.Driver == nil {
			return nil, usage("%s is a lock of this repository and no driver", arg)
		}
		s.Driver, s.Backend = "", arg
	}
	b = &driverBench{Subject: drivertest.Subject{Name: s.Backend, TTL: s.TTL}}
	if b.Backend, err = s.lookup(known); err != nil {
		return nil, err
	}
	if b.dir, err = os.MkdirTemp("", "torture-driver-"); err != nil {
		return nil, broken(err)
	}
	if b.Cluster, _, err = startCluster(ctx, &s, b.Backend, b.dir); err != nil {
		return b, err
	}
	if b.Backend, err = b.Backend.Learn(ctx, b.Cluster, s.TTL); err != nil {
		return b, broken(err)
	}
	if least := b.Backend.Traits.LeastTTL; s.TTL < least {
		return b, usage("--ttl %s: the driver declares a least_ttl of %s", s.TTL, least)
	}
	return b, nil
}

func (b *driverBench) close() error {
	if b == nil {
		return nil
	}
	var err error
	if b.Cluster != nil {
		err = b.Cluster.Close()
	}
	return errors.Join(err, os.RemoveAll(b.dir))
}

func driverCheck(cmd *cobra.Command, known map[string]registry.Backend, s driverSpec, arg string) (err error) {
	if err := drivertest.Known(s.Only); err != nil {
		return usage("%v", err)
	}
	out := cmd.OutOrStdout()
	b, err := openBench(cmd.Context(), known, s.run, arg)
	defer func() {
		if cerr := b.close(); cerr != nil && err == nil {
			err = broken(cerr)
		}
	}()
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "driver: %s\nlock: %s\ntraits: %s, model %s\n", b.Backend.Driver.Name(),
		orNone([]string{b.Backend.Driver.Declared.Lock}), strings.Join(backendRow("", b.Backend, nil).Traits, ", "), b.Backend.Traits.Model)
	n, err := drivertest.Check(cmd.Context(), b.Subject, s.Only, s.Trace, out)
	if err != nil {
		return broken(err)
	}
	fmt.Fprintf(out, "%d passed, %d failed, %d not applicable\n", n.Passed, n.Failed, n.NotApplicable)
	if n.Failed > 0 {
		return exit.Silent(exitViolated)
	}
	return nil
}

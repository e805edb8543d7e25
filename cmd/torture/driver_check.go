package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"locktorture/cluster"
	"locktorture/internal/exit"
	"locktorture/locks/driver"
	"locktorture/locks/locktest"
)

// A driverSpec is what the flags of the driver commands say.
type driverSpec struct {
	run   runSpec // which driver, on what
	Only  []string
	Trace bool
	N     int
}

// benchClients is the number of clients for which a driver is checked.
const benchClients = 8

func newDriverCheck() *cobra.Command {
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
		RunE: func(cmd *cobra.Command, args []string) error { return driverCheck(cmd, s, args[0]) },
	}
	driverFlags(cmd, &s)
	cmd.Flags().StringSliceVar(&s.Only, "only", nil, "these checks")
	cmd.Flags().BoolVar(&s.Trace, "trace", false, "show every line that is exchanged")
	return cmd
}

// driverFlags are the flags of the commands that take a driver.
func driverFlags(cmd *cobra.Command, s *driverSpec) {
	f := cmd.Flags()
	f.StringVar(&s.run.Topology, "topology", "", "the servers that the driver is given (not needed for the name of a backend)")
	s.run.serverSpec.register(f)
	f.DurationVar(&s.run.TTL, "ttl", 2*time.Second, "time to live of a lease, for locks that have one")
	f.StringToStringVar(&s.run.Options, "option", nil, "an option of the driver, NAME=VALUE; may be repeated")
	completions(cmd)
}

// A driverBench is a driver and its servers, ready to be checked or measured.
type driverBench struct {
	spec    runSpec
	backend backend
	cluster *cluster.Cluster
	dir     string
	talk    *talk
}

// openBench finds the driver that an argument names, starts its servers, and
// asks what it declares. close must be called also after an error.
func openBench(ctx context.Context, s runSpec, arg string, t *talk) (b *driverBench, err error) {
	if err := s.serverSpec.check(notForDrivers); err != nil {
		return nil, err
	}
	b = &driverBench{talk: t}
	s.Driver, s.Backend, s.Clients = arg, "driver", benchClients
	if known, ok := backends()[arg]; ok {
		if known.Driver == nil {
			return nil, usage("%s is a lock of this repository and no driver", arg)
		}
		s.Driver, s.Backend = "", arg
	}
	if b.backend, err = s.lookup(); err != nil {
		return nil, err
	}
	b.spec = s
	if b.dir, err = os.MkdirTemp("", "torture-driver-"); err != nil {
		return nil, broken(err)
	}
	if b.cluster, _, err = startCluster(ctx, &s, b.backend, b.dir); err != nil {
		return b, err
	}
	if b.backend, err = b.backend.Learn(ctx, b.cluster, s.TTL); err != nil {
		return b, broken(err)
	}
	if least := b.backend.Traits.LeastTTL; s.TTL < least {
		return b, usage("--ttl %s: the driver declares a least_ttl of %s", s.TTL, least)
	}
	return b, nil
}

func (b *driverBench) close() error {
	if b == nil {
		return nil
	}
	var err error
	if b.cluster != nil {
		err = b.cluster.Close()
	}
	return errors.Join(err, os.RemoveAll(b.dir))
}

// open starts the driver of a client, whose process number is that of the client.
func (b *driverBench) open(ctx context.Context, client int) (*driver.Client, error) {
	return b.backend.Driver.Start(ctx, driver.Open{
		Backend: b.spec.Backend, Endpoints: b.cluster.Endpoints(client), TTL: b.spec.TTL, Client: client, Process: client,
	}, nil, b.talk.of(client))
}

func driverCheck(cmd *cobra.Command, s driverSpec, arg string) (err error) {
	if err := knownChecks(s.Only); err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	t := &talk{}
	if s.Trace {
		t.live = out
	}
	b, err := openBench(cmd.Context(), s.run, arg, t)
	defer func() {
		if cerr := b.close(); cerr != nil && err == nil {
			err = broken(cerr)
		}
	}()
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "driver: %s\nlock: %s\ntraits: %s, model %s\n", b.backend.Driver.Name(),
		orNone([]string{b.backend.Driver.Declared.Lock}), strings.Join(backendRow("", b.backend, nil).Traits, ", "), b.backend.Traits.Model)
	c := &driverChecks{bench: b, out: out, only: s.Only}
	if err := c.all(cmd.Context()); err != nil {
		return err
	}
	fmt.Fprintf(out, "%d passed, %d failed, %d not applicable\n", c.passed, c.failed, c.skipped)
	if c.failed > 0 {
		return exit.Silent(exitViolated)
	}
	return nil
}

// knownChecks checks the names of --only.
func knownChecks(names []string) error {
	known := map[string]bool{"close": true, "end-of-input": true}
	for _, c := range driver.ProtocolChecks() {
		known[c.Name] = true
	}
	for _, c := range locktest.Checks() {
		known[c.Name] = true
	}
	for _, n := range names {
		if !known[n] {
			return unknownName("check", n, known)
		}
	}
	return nil
}

// driverChecks runs the checks one after another.
type driverChecks struct {
	bench *driverBench
	out   io.Writer
	only  []string

	mu                      sync.Mutex
	opened                  []*driver.Client // of the present check
	passed, failed, skipped int
}

// all runs the checks. Its error is a driver that misbehaves.
func (c *driverChecks) all(ctx context.Context) error {
	a, err := c.bench.open(ctx, 1)
	if err != nil {
		return broken(err)
	}
	defer a.Close()
	b, err := c.bench.open(ctx, 2)
	if err != nil {
		return broken(err)
	}
	defer b.Close()
	for _, check := range driver.ProtocolChecks() {
		lock := "check-" + check.Name + "-" + rand.Text()[:6]
		err := c.one(check.Name, check.Rule, func() error {
			cctx, cancel := context.WithTimeout(ctx, time.Minute)
			defer cancel()
			return check.Run(cctx, a, b, lock, c.bench.spec.TTL)
		}, a, b)
		if err != nil {
			return err
		}
	}
	if err := c.ends(ctx, "close", "close is answered, and the driver exits", a, true); err != nil {
		return err
	}
	if err := c.ends(ctx, "end-of-input", "a driver whose input ends exits: its harness is gone", b, false); err != nil {
		return err
	}
	return c.lock(ctx)
}

func (c *driverChecks) ends(ctx context.Context, name, rule string, k *driver.Client, byClose bool) error {
	return c.one(name, rule, func() error { return k.Ends(ctx, byClose) })
}

// one runs one check and prints how it went.
func (c *driverChecks) one(name, rule string, run func() error, clients ...*driver.Client) error {
	if len(c.only) > 0 && !slices.Contains(c.only, name) {
		return nil
	}
	c.bench.talk.clear()
	start := time.Now()
	err := run()
	for _, k := range slices.Concat(clients, c.opened) {
		if dead := k.Err(); dead != nil {
			fmt.Fprintf(c.out, "FAIL  %s\n%s", name, c.bench.talk.text())
			return broken(fmt.Errorf("driver %s, in check %s: %w", c.bench.backend.Driver.Name(), name, dead))
		}
	}
	if err == nil {
		c.passed++
		fmt.Fprintf(c.out, "ok    %s (%v)\n", name, time.Since(start).Round(time.Millisecond))
		return nil
	}
	c.failed++
	fmt.Fprintf(c.out, "FAIL  %s\n      expected: %s\n      found:    %s\n%s", name, rule,
		strings.ReplaceAll(err.Error(), "\n", "\n                "), c.bench.talk.text())
	return nil
}

// lock runs the conformance test of locks.
func (c *driverChecks) lock(ctx context.Context) error {
	s, done, err := c.suite(ctx)
	if err != nil {
		return broken(err)
	}
	defer done()
	for _, check := range locktest.Checks() {
		if len(c.only) > 0 && !slices.Contains(c.only, check.Name) {
			continue
		}
		if lacks := check.Lacks(s); lacks != "" {
			c.skipped++
			fmt.Fprintf(c.out, "-     %s: %s\n", check.Name, lacks)
			continue
		}
		c.opened = nil
		if err := c.one(check.Name, lockRules[check.Name], func() error { return check.Run(ctx, s) }); err != nil {
			return err
		}
	}
	return nil
}

package gotest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"locktorture/checker"
	"locktorture/checker/invariant"
	"locktorture/cluster"
	"locktorture/cluster/embedded"
	"locktorture/cluster/process"
	"locktorture/harness"
	"locktorture/history"
	"locktorture/locks"
	"locktorture/locks/driver"
	"locktorture/nemesis"
	"locktorture/workloads"
)

// A Config says what to do to the lock. Only Traits is needed.
type Config struct {
	Traits locks.Traits // what the lock declares; it is judged by that

	Topology string   // of the servers (cluster.Topologies); default "redis"
	Servers  []string // folders of server programs that are not on PATH
	// Endpoints are servers that run already; the links to them cannot be broken.
	Endpoints []string

	Nemeses  map[string]nemesis.Nemesis // default: pause and kill-client
	Workload workloads.Workload         // default: a counter
	// Invariant judges what the workload left; default: that of the counter.
	Invariant checker.Invariant

	Clients  int           // default 3
	Duration time.Duration // default 10 s
	TTL      time.Duration // told to the lock; default 2 s
	Seed     uint64        // fixes the work and the faults
	Options  map[string]string
	Dir      string    // for the history; default: one that is removed
	Stderr   io.Writer // the log of the clients; nil: discarded
}

func (c Config) withDefaults() Config {
	if c.Topology == "" {
		c.Topology = "redis"
	}
	if c.Nemeses == nil {
		c.Nemeses = nemesis.Named(nemesis.Pause{}, nemesis.KillClient{})
	}
	if c.Workload == nil {
		c.Workload, c.Invariant = workloads.Counter{}, invariant.Counter{}
	}
	if c.Clients <= 0 {
		c.Clients = 3
	}
	if c.Duration <= 0 {
		c.Duration = 10 * time.Second
	}
	if c.TTL <= 0 {
		c.TTL = 2 * time.Second
	}
	if c.Traits.Model == "" {
		c.Traits.Model = "mutex"
	}
	return c
}

// Run tortures the lock that Main serves. An error means that the harness
// failed, or that what was asked for is not possible here; what is wrong with the lock, as far as it was seen, stands in
// the result.
func Run(ctx context.Context, cfg Config) (r checker.Result, err error) {
	cfg = cfg.withDefaults()
	if os.Getenv(asDriver) != "" {
		return r, errors.New("gotest: this is the process of a client; call Main in TestMain")
	}
	if cfg.Dir == "" {
		if cfg.Dir, err = os.MkdirTemp("", "torture-gotest-"); err != nil {
			return r, err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(cfg.Dir)) }()
	}
	c, err := cfg.cluster(ctx)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	world := harness.WorldOf(c, cfg.Clients, cfg.TTL)
	for name, n := range cfg.Nemeses {
		if err := n.Supports(world); err != nil {
			return r, fmt.Errorf("nemesis %s is not possible here: %w", name, err)
		}
	}
	path := filepath.Join(cfg.Dir, "history.jsonl")
	failed := cfg.carryOut(ctx, c, world, path)
	r, err = checker.Judge(&history.File{Name: path}, cfg.options(), cfg.Invariant) // what was seen until it failed was seen
	return r, errors.Join(failed, err)
}

// cluster starts the servers.
func (cfg Config) cluster(ctx context.Context) (*cluster.Cluster, error) {
	if len(cfg.Endpoints) > 0 {
		return cluster.Bare("external", cfg.Endpoints, nil), nil
	}
	p, _, err := cluster.Choose(cfg.Topology,
		cluster.Candidate{Name: "process", Provisioner: process.New(cfg.Servers...)},
		cluster.Candidate{Name: "embedded", Provisioner: embedded.Provisioner{}},
	)
	if err != nil {
		return nil, err
	}
	return cluster.Start(ctx, cfg.Topology, p.Provisioner, cfg.Clients, cfg.Dir)
}

// carryOut does the run and writes its history.
func (cfg Config) carryOut(ctx context.Context, c *cluster.Cluster, world *nemesis.World, path string) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	start := time.Now()
	now := func() int64 { return int64(time.Since(start)) }
	rec := history.NewRecorder(f, now)
	defer func() { err = errors.Join(err, rec.Close(), f.Close()) }()
	run, err := harness.New(harness.Config{
		Clients: cfg.Clients, Duration: cfg.Duration, TTL: cfg.TTL, Seed: cfg.Seed,
		Workload: cfg.Workload, Resource: &workloads.Memory{}, Fencing: cfg.fencing(), Careful: true,
		FreeWithin: cfg.freeWithin(), Tail: cfg.options().Tail(), LongestTail: cfg.options().LongestTail(),
		Traits: cfg.Traits, Open: cfg.open(c),
		World: world, Kinds: cfg.Nemeses, Record: rec.Record, Now: now,
	})
	if err != nil {
		return err
	}
	var steps []nemesis.Step
	if len(cfg.Nemeses) > 0 {
		if steps, err = nemesis.Plan(rand.New(rand.NewPCG(cfg.Seed, 0)), world, cfg.Nemeses, cfg.Duration); err != nil {
			return err
		}
	}
	return run.Go(ctx, steps)
}

// open starts this binary again for each client.
func (cfg Config) open(c *cluster.Cluster) func(context.Context, int, int) (locks.Locker, error) {
	return func(ctx context.Context, client, process int) (locks.Locker, error) {
		self, err := os.Executable()
		if err != nil {
			return nil, err
		}
		k, err := driver.Start(ctx, driver.Command{Path: self, Env: append(os.Environ(), asDriver+"=1"), Stderr: cfg.Stderr}, driver.Open{
			Endpoints: c.Endpoints(client), TTL: cfg.TTL, Client: client, Process: process, Options: cfg.Options,
		})
		if err != nil {
			return nil, fmt.Errorf("%w (is gotest.Main called in TestMain?)", err)
		}
		return k, nil
	}
}

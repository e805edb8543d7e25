//go:build !wasip1 && !simulated

package gotest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"locktorture/checker"
	"locktorture/cluster"
	"locktorture/cluster/embedded"
	"locktorture/cluster/process"
	"locktorture/locks"
	"locktorture/locks/driver"
	"locktorture/report"
	"locktorture/trial"
)

// Run tortures the lock that Main serves. An error reports a failure of the harness, or settings
// that are not possible here. The result has the faults of the lock, as far as they were observed.
func Run(ctx context.Context, cfg Config) (r checker.Result, err error) {
	cfg = cfg.withDefaults()
	cfg.Traits.Model = model(cfg.Traits)
	if cfg.TTL < cfg.Traits.LeastTTL {
		return r, fmt.Errorf("gotest: Config.TTL %v is shorter than Traits.LeastTTL, which is %v", cfg.TTL, cfg.Traits.LeastTTL)
	}
	if os.Getenv(asDriver) != "" {
		return r, errors.New("gotest: this is the process of a client; call Main in TestMain")
	}
	base := cfg.Dir
	if base == "" {
		if base, err = os.MkdirTemp("", "torture-gotest-"); err != nil {
			return r, err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(base)) }()
	}
	o, err := trial.Run(ctx, cfg.trial(base))
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, o.Close()) }()
	if cfg.Dir != "" {
		err = o.Write()
		o.Dir.Latest()
	}
	return o.Result, errors.Join(o.Failure, err)
}

// trial returns the settings of the trial that Run plays, with its run directory below base.
func (cfg Config) trial(base string) trial.Config {
	lock := called()
	return trial.Config{
		Base: base, Called: lock, Clients: cfg.Clients, TTL: cfg.TTL, Options: cfg.options(), Invariant: cfg.Invariant,
		Start: func(ctx context.Context, d *trial.Dir) (trial.Servers, error) { return cfg.servers(ctx, d) },
		Meet: func(_ context.Context, s trial.Servers, _ *trial.Dir) (trial.Lock, error) {
			return trial.Lock{Traits: cfg.Traits, Open: cfg.open(s.Cluster)}, nil
		},
		Act: &trial.Work{
			Workload: cfg.Workload, Careful: true, Duration: cfg.Duration, Seed: cfg.Seed,
			Faults: trial.Faults{Wanted: slices.Sorted(maps.Keys(cfg.Nemeses)), Known: cfg.Nemeses},
		},
		Label: func(r *report.Run, _ trial.Setting) { r.Backend = lock },
	}
}

// model returns the model by which a lock is judged: the declared one, or the default of the driver
// protocol. A mutex is only the default of a lock whose leases do not end by themselves.
func model(t locks.Traits) string {
	d := driver.Declared{Kind: t.Kind, Token: t.Token, Watched: t.Watched, LeastTTL: t.LeastTTL, Model: t.Model}
	if t.Bounded {
		d.Validity = cmp.Or(t.Validity, "TTL")
	}
	if t.FreeWithin != nil {
		d.FreeWithin = time.Nanosecond // any
	}
	return d.Traits().Model
}

// called returns the name of the lock, which is the name of its package.
func called() string { return strings.TrimSuffix(filepath.Base(os.Args[0]), ".test") }

// servers starts the servers, or uses running ones.
func (cfg Config) servers(ctx context.Context, d *trial.Dir) (trial.Servers, error) {
	c, why, err := cfg.cluster(ctx, d)
	if err != nil {
		return trial.Servers{}, err
	}
	return trial.Servers{Cluster: c, Why: why, Leave: func(bool) error { return c.Close() }}, nil
}

func (cfg Config) cluster(ctx context.Context, d *trial.Dir) (*cluster.Cluster, string, error) {
	if len(cfg.Endpoints) > 0 {
		return cluster.Bare("external", cfg.Endpoints, nil), "servers that run already", nil
	}
	p, why, err := cluster.Choose(cfg.Topology,
		cluster.Candidate{Name: "process", Provisioner: process.New(cfg.Servers...)},
		cluster.Candidate{Name: "embedded", Provisioner: embedded.Provisioner{}},
	)
	if err != nil {
		return nil, "", err
	}
	c, err := cluster.Start(ctx, cfg.Topology, p.Provisioner, cfg.Clients, d.Path)
	return c, why, err
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

package registry

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"locktorture/checker/linear"
	"locktorture/cluster"
	"locktorture/internal/suggest"
	"locktorture/locks"
	"locktorture/locks/driver"
	"locktorture/locks/redis"
	"locktorture/locks/zookeeper"
)

// A DriverEntry is one lock of the drivers section of a configuration file.
type DriverEntry struct {
	About      string
	Command    []string
	Topology   string
	Replicated string
	Options    map[string]string
	Version    []string      // a command that prints the library's name and version
	Needs      []string      // files or programs without which it cannot run
	Kind       string        // kind of lock that the driver will declare; "": an exclusive lock
	LeastTTL   time.Duration // shortest TTL that the driver will declare
	HostTime   bool          // the driver reads the host's clock
	Dir        string        // directory of the file, in which the command runs
}

// Backend returns the lock of the entry, with the traits that the entry announces; Learn asks the
// driver for all traits. A driver that brings its own service has a cluster without nodes.
func (e DriverEntry) Backend(name string) Backend {
	b := Backend{
		Name: name, About: e.About, Topology: e.Topology, Replicated: e.Replicated, HostTime: e.HostTime,
		Traits: locks.Traits{Kind: e.Kind, LeastTTL: e.LeastTTL}, // by which a workload and a TTL are chosen
		Driver: &Driver{Command: e.Command, Dir: e.Dir, Options: e.Options, Version: e.Version, Topology: e.Topology},
	}
	b.Open = b.Driver.open
	if b.Topology == NoTopology {
		b.Topology, b.Serve, b.Without = "", noServers, "the driver brings its own service"
	}
	return b
}

// Missing returns the first need that is missing, or "" if all are there. A need
// is a path, relative to the folder of the file, or a program on PATH.
func (e DriverEntry) Missing() string {
	for _, need := range e.Needs {
		if !strings.Contains(need, "/") {
			if _, err := exec.LookPath(need); err != nil {
				return need
			}
			continue
		}
		path := need
		if !filepath.IsAbs(path) {
			path = filepath.Join(e.Dir, need)
		}
		if _, err := os.Stat(path); err != nil {
			return need
		}
	}
	return ""
}

// Learn starts the driver on running servers and returns the backend with the traits that the
// driver declares.
func (b Backend) Learn(ctx context.Context, c *cluster.Cluster, ttl time.Duration) (Backend, error) {
	d := *b.Driver
	k, err := d.Start(ctx, driver.Open{Backend: "", Endpoints: c.Endpoints(1), TTL: ttl, Client: 1}, nil, nil)
	if err != nil {
		return b, err
	}
	declared := k.Declared()
	if err := k.Close(); err != nil {
		return b, err
	}
	d.Declared = declared
	b.Driver, b.Traits, b.Retry = &d, declared.Traits(), declared.Retry
	if err := KnownModel(b.Traits.Model); err != nil {
		return b, &driver.Error{Name: d.Name(), Err: fmt.Errorf("trait model: %w", err)}
	}
	if b.Prober, err = proberOf(*declared); err != nil {
		return b, &driver.Error{Name: d.Name(), Err: err}
	}
	return b, nil
}

// KnownModel returns an error if there is no model with this name.
func KnownModel(name string) error {
	known := map[string]bool{}
	for _, m := range linear.Models() {
		known[m] = true
	}
	if !known[name] {
		return Unknown("model", name, known)
	}
	return nil
}

// KnownKind returns an error if no driver can declare a kind with this name.
func KnownKind(name string) error {
	if _, ok := locks.KindOf(name); ok && name != locks.Exclusive {
		return nil
	}
	var known []string
	for _, k := range locks.Kinds()[1:] {
		known = append(known, k.Name)
	}
	return fmt.Errorf("no kind is called %q; there are %s", name, strings.Join(known, ", "))
}

// proberOf returns a function that opens a prober for the keys that a driver declares; nil if it
// declares none.
func proberOf(declared driver.Declared) (func(*cluster.Cluster) (locks.Prober, error), error) {
	if key := declared.RedisKey(); key != nil {
		return func(c *cluster.Cluster) (locks.Prober, error) {
			return ofPrimary(c, redis.NewProbeAt(redisNodes(c, Args{}), 0, key)), nil
		}, nil
	}
	switch declared.Keys {
	case "":
		return nil, nil
	case "zookeeper":
		return func(c *cluster.Cluster) (locks.Prober, error) {
			return zookeeper.NewProbe(c.Endpoints(0), "zookeeper"), nil
		}, nil
	}
	return nil, fmt.Errorf("trait keys: %w", suggest.Among(declared.Keys, []string{"redis", "redis:KEY with a * for the name", "zookeeper"}))
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kballard/go-shellquote"

	"locktorture/cluster"
	"locktorture/locks"
	"locktorture/locks/driver"
	"locktorture/locks/zookeeper"
)

// An external is a lock that is somebody else's program, which speaks the
// driver protocol.
type external struct {
	Command  []string
	Dir      string // where it is run; "": here
	Options  map[string]string
	Version  []string         // prints the version of its library
	Declared *driver.Declared // once it was asked
}

// backends are the locks of this repository and the drivers of the
// configuration files whose runtimes are installed.
func backends() map[string]backend {
	all := ownBackends()
	drivers, _ := externalBackends() // checkDrivers has told the error
	for name, b := range drivers {
		if _, taken := all[name]; !taken {
			all[name] = b
		}
	}
	return all
}

// externalBackends reads the drivers of the repository and those of the
// configuration file, which come first.
func externalBackends() (map[string]backend, error) {
	all := map[string]backend{}
	var first error
	for _, path := range driverFiles() {
		c, err := readConfig(path)
		if err != nil {
			if first == nil {
				first = err
			}
			continue
		}
		for name, e := range c.drivers {
			if _, taken := all[name]; !taken && e.missing() == "" {
				all[name] = e.backend()
			}
		}
	}
	return all, first
}

// driverFiles are the files in which drivers may stand: that of the working
// directory, and that of the repository's own drivers.
func driverFiles() []string {
	files := []string{configFile}
	catalogue := filepath.Join("drivers", configFile)
	if _, err := os.Stat(catalogue); err == nil {
		return append(files, catalogue)
	}
	self, err := os.Executable()
	if err != nil {
		return files
	}
	return append(files, filepath.Join(filepath.Dir(self), "..", catalogue))
}

// checkDrivers is the user's error if a configuration file is wrong, or if a
// driver has the name of a lock of this repository.
func checkDrivers() error {
	if _, err := externalBackends(); err != nil {
		return wrongConfig(err)
	}
	return nil
}

func (e driverEntry) backend() backend {
	b := backend{
		About: e.About, Topology: e.Topology, Replicated: e.Replicated,
		External: &external{Command: e.Command, Dir: e.Dir, Options: e.Options, Version: e.Version},
	}
	return b.served()
}

// openLocker starts the driver of a client for who knows no drivers: its
// process number is not told, and owners on the servers do not begin with it.
func (e *external) openLocker(ctx context.Context, a lockArgs) (locks.Locker, error) {
	c, err := e.with(a.Options).start(ctx, driver.Open{Endpoints: a.Endpoints, TTL: a.TTL, Client: 1}, nil, nil)
	if err != nil {
		return nil, err // not the nil client
	}
	return c, nil
}

// served completes a driver: it can be opened, and one that brings its own
// service has a cluster without nodes.
func (b backend) served() backend {
	b.Open = b.External.openLocker
	if b.Topology == noTopology {
		b.Topology, b.Serve, b.Without = "", noServers, "the driver brings its own service"
	}
	return b
}

// lookup finds the backend that the flags name.
func (s *runSpec) lookup() (backend, error) {
	if s.Driver == "" {
		b, ok := backendNamed(s.Backend, backends())
		switch {
		case !ok:
			return b, unknownName("backend", s.Backend, backends())
		case len(s.Options) > 0 && b.External == nil:
			return b, usage("--option: %s is no driver and has none", s.Backend)
		case b.External != nil:
			b.External = b.External.with(s.Options)
		}
		return b, nil
	}
	words, err := shellquote.Split(s.Driver)
	switch {
	case err != nil:
		return backend{}, usage("--driver %q: %v", s.Driver, err)
	case len(words) == 0:
		return backend{}, usage("--driver: a command is needed")
	case s.Topology == "":
		return backend{}, usage("--driver needs --topology: %s", strings.Join(topologyNames(), ", "))
	}
	if err := knownTopology(s.Topology); err != nil {
		return backend{}, usage("--topology: %v", err)
	}
	b := backend{About: s.Driver, Topology: s.Topology, External: &external{Command: words, Options: s.Options}}
	return b.served(), nil
}

// with adds options.
func (e *external) with(options map[string]string) *external {
	if len(options) == 0 {
		return e
	}
	out := *e
	out.Options = maps.Clone(e.Options)
	if out.Options == nil {
		out.Options = map[string]string{}
	}
	maps.Copy(out.Options, options)
	return &out
}

// name is what the program is called in messages.
func (e *external) name() string { return shellquote.Join(e.Command...) }

// start starts the driver of one client.
func (e *external) start(ctx context.Context, o driver.Open, stderr io.Writer, tap func(driver.Line)) (*driver.Client, error) {
	o.Options = e.Options
	last := &tail{next: stderr}
	ctx, cancel := context.WithTimeout(ctx, openLimit)
	defer cancel()
	c, err := driver.Start(ctx, driver.Command{
		Path: e.Command[0], Args: e.Command[1:], Dir: e.Dir, Env: environment(o), Stderr: last, Tap: tap, Sweep: true,
	}, o)
	if err == nil && e.Declared != nil && !reflect.DeepEqual(c.Declared(), e.Declared) {
		err = errors.Join(errors.New("declares other traits than before"), c.Close())
	}
	if err != nil {
		return nil, fmt.Errorf("driver %s: %w%s", e.name(), err, last.said())
	}
	return c, nil
}

// openLimit is how long a driver may take to start and to open its lock.
const openLimit = 20 * time.Second

// environment tells a driver what the open request tells it too.
func environment(o driver.Open) []string {
	env := append(os.Environ(),
		"TORTURE_ENDPOINTS="+strings.Join(o.Endpoints, ","),
		"TORTURE_TTL_NS="+strconv.FormatInt(int64(o.TTL), 10),
		"TORTURE_CLIENT="+strconv.Itoa(o.Client),
		"TORTURE_PROCESS="+strconv.Itoa(o.Process),
	)
	for _, name := range slices.Sorted(maps.Keys(o.Options)) {
		key := strings.ToUpper(strings.NewReplacer("-", "_", ".", "_").Replace(name))
		env = append(env, "TORTURE_OPTION_"+key+"="+o.Options[name])
	}
	return env
}

// learn asks the driver what its lock declares.
func (b backend) learn(ctx context.Context, c *cluster.Cluster, ttl time.Duration) (backend, error) {
	e := *b.External
	k, err := e.start(ctx, driver.Open{Backend: "", Endpoints: c.Endpoints(1), TTL: ttl, Client: 1}, nil, nil)
	if err != nil {
		return b, err
	}
	d := k.Declared()
	if err := k.Close(); err != nil {
		return b, fmt.Errorf("driver %s: %w", e.name(), err)
	}
	e.Declared = d
	b.External, b.Traits, b.Retry = &e, d.Traits(), d.Retry
	if err := knownModel(b.Traits.Model); err != nil {
		return b, fmt.Errorf("driver %s: trait model: %w", e.name(), err)
	}
	if b.Prober, err = proberOf(d.Keys); err != nil {
		return b, fmt.Errorf("driver %s: %w", e.name(), err)
	}
	return b, nil
}

// proberOf finds who can look at the servers of a driver's lock.
func proberOf(keys string) (func(*cluster.Cluster) (locks.Prober, error), error) {
	switch keys {
	case "":
		return nil, nil
	case "redis":
		return func(c *cluster.Cluster) (locks.Prober, error) { return probeRedis(c, lockArgs{}) }, nil
	case "zookeeper":
		return func(c *cluster.Cluster) (locks.Prober, error) {
			return zookeeper.NewProbe(c.Endpoints(0), "zookeeper"), nil
		}, nil
	}
	return nil, fmt.Errorf("trait keys: %q: redis or zookeeper", keys)
}

// which is how the command line names the lock.
func which(s runSpec) []string {
	words := []string{"--backend", s.Backend}
	if s.Driver != "" {
		words = []string{"--driver", s.Driver}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Options)) {
		words = append(words, "--option", name+"="+s.Options[name])
	}
	return words
}

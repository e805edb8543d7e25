package runs

import (
	"maps"
	"slices"
	"strings"

	"github.com/kballard/go-shellquote"

	"locktorture/internal/exit"
	"locktorture/registry"
)

// A LockSpec is what the flags say about the lock.
type LockSpec struct {
	Backend  string
	Driver   string            // a command line; "": the backend that is named
	Options  map[string]string // of a driver or a library
	Topology string
}

// Name is what the lock is called.
func (s LockSpec) Name() string {
	if s.Driver != "" {
		return "driver"
	}
	return s.Backend
}

// Lookup finds the backend that the flags name among those that there are.
func (s LockSpec) Lookup(known map[string]registry.Backend) (registry.Backend, error) {
	if s.Driver == "" {
		b, ok := registry.Find(s.Backend, known)
		switch {
		case !ok:
			return b, UnknownName("backend", s.Backend, known)
		case b.Driver != nil:
			b.Driver = b.Driver.With(s.Options)
			return b, nil
		}
		return b, s.fits(b)
	}
	words, err := shellquote.Split(s.Driver)
	switch {
	case err != nil:
		return registry.Backend{}, exit.Usage("--driver %q: %v", s.Driver, err)
	case len(words) == 0:
		return registry.Backend{}, exit.Usage("--driver: a command is needed")
	case s.Topology == "":
		return registry.Backend{}, exit.Usage("--driver needs --topology: %s", strings.Join(registry.Topologies(), ", "))
	}
	if err := registry.KnownTopology(s.Topology); err != nil {
		return registry.Backend{}, exit.Usage("--topology: %v", err)
	}
	return registry.DriverEntry{About: s.Driver, Topology: s.Topology, Command: words, Options: s.Options}.Backend(s.Name()), nil
}

// fits returns an error if a lock that is no driver does not have the options.
func (s LockSpec) fits(b registry.Backend) error {
	for name, value := range s.Options {
		switch one := name + "=" + value; {
		case slices.Contains(b.Options, one):
		case len(b.Options) == 0:
			return exit.Usage("--option: %s is no driver and has no options", s.Backend)
		default:
			return exit.Usage("--option %s: %s has only %s", one, s.Backend, strings.Join(b.Options, ", "))
		}
	}
	return nil
}

// Words are how a command line names the lock, but for its topology.
func (s LockSpec) Words() []string {
	words := []string{"--backend", s.Backend}
	if s.Driver != "" {
		words = []string{"--driver", s.Driver}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Options)) {
		words = append(words, "--option", name+"="+s.Options[name])
	}
	return words
}

package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kballard/go-shellquote"

	"locktorture/registry"
)

// backends are the locks of this repository and the drivers of the
// configuration files whose runtimes are installed.
func backends() map[string]registry.Backend {
	all := registry.Locks()
	drivers, _ := driverBackends() // checkDrivers has told the error
	for name, b := range drivers {
		if _, taken := all[name]; !taken {
			all[name] = b
		}
	}
	return all
}

// driverBackends reads the drivers of the repository and those of the
// configuration file, which come first.
func driverBackends() (map[string]registry.Backend, error) {
	all := map[string]registry.Backend{}
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
			if _, taken := all[name]; !taken && e.Missing() == "" {
				all[name] = e.Backend(name)
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
	if _, err := driverBackends(); err != nil {
		return wrongConfig(err)
	}
	return nil
}

// lookup finds the backend that the flags name.
func (s *runSpec) lookup() (registry.Backend, error) {
	if s.Driver == "" {
		b, ok := registry.Find(s.Backend, backends())
		switch {
		case !ok:
			return b, unknownName("backend", s.Backend, backends())
		case len(s.Options) > 0 && b.Driver == nil:
			return b, usage("--option: %s is no driver and has none", s.Backend)
		case b.Driver != nil:
			b.Driver = b.Driver.With(s.Options)
		}
		return b, nil
	}
	words, err := shellquote.Split(s.Driver)
	switch {
	case err != nil:
		return registry.Backend{}, usage("--driver %q: %v", s.Driver, err)
	case len(words) == 0:
		return registry.Backend{}, usage("--driver: a command is needed")
	case s.Topology == "":
		return registry.Backend{}, usage("--driver needs --topology: %s", strings.Join(registry.Topologies(), ", "))
	}
	if err := registry.KnownTopology(s.Topology); err != nil {
		return registry.Backend{}, usage("--topology: %v", err)
	}
	return registry.DriverEntry{About: s.Driver, Topology: s.Topology, Command: words, Options: s.Options}.Backend("driver"), nil
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

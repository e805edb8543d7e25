package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"locktorture/cluster"
)

// A driverEntry is one lock of the drivers section of a configuration file.
type driverEntry struct {
	About      string
	Command    []string
	Topology   string
	Replicated string
	Options    map[string]string
	Version    []string // a command that prints the library's name and version
	Needs      []string // files or programs without which it cannot run
	Dir        string   // of the file: where the command is run
}

var entryKeys = []string{"about", "command", "topology", "replicated", "options", "needs", "version"}

// entry reads one driver.
func (f configReader) entry(name, n *yaml.Node) (driverEntry, error) {
	dir, err := filepath.Abs(filepath.Dir(f.path))
	if err != nil {
		return driverEntry{}, err
	}
	e := driverEntry{Dir: dir, About: "a driver of " + filepath.Base(f.path), Options: map[string]string{}}
	err = f.each(n, entryKeys, func(key, v *yaml.Node) (err error) {
		switch key.Value {
		case "about":
			e.About, err = f.text(v)
		case "command":
			e.Command, err = f.words(v)
		case "topology":
			e.Topology, err = f.topology(v)
		case "replicated":
			e.Replicated, err = f.topology(v)
		case "version":
			e.Version, err = f.words(v)
		case "needs":
			e.Needs, err = f.words(v)
		case "options":
			err = f.each(v, nil, func(option, v *yaml.Node) (err error) {
				e.Options[option.Value], err = f.text(v)
				return err
			})
		}
		return err
	})
	_, own := ownBackends()[name.Value]
	switch {
	case err != nil:
		return e, err
	case own:
		return e, f.wrong(name, "a driver is called %q, as a lock of this repository is", name.Value)
	case len(e.Command) == 0:
		return e, f.wrong(name, "driver %s has no command", name.Value)
	case e.Topology == "":
		return e, f.wrong(name, "driver %s has no topology; there are %s", name.Value, strings.Join(topologyNames(), ", "))
	}
	return e, nil
}

func (f configReader) topology(n *yaml.Node) (string, error) {
	name, err := f.text(n)
	if err != nil {
		return "", err
	}
	if err := knownTopology(name); err != nil {
		return "", f.wrong(n, "%v", err)
	}
	return name, nil
}

// noTopology is that of a driver that brings its own service.
const noTopology = "none"

func topologyNames() []string {
	names := []string{noTopology}
	for name := range cluster.Topologies() {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func knownTopology(name string) error {
	names := topologyNames()
	if slices.Contains(names, name) {
		return nil
	}
	if near := nearest(name, names); near != "" {
		return fmt.Errorf("no topology is called %q; did you mean %s?", name, near)
	}
	return fmt.Errorf("no topology is called %q; there are %s", short(name, maxShown), strings.Join(names, ", "))
}

// missing returns the first need that is not there, "" if none is. A need is
// a path, from the file's folder on, or a program on PATH.
func (e driverEntry) missing() string {
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

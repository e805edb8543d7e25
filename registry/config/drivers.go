package config

import (
	"path/filepath"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"locktorture/registry"
)

// driverKeys returns the keys that the entry of a driver may have.
func driverKeys() []string {
	return []string{"about", "command", "topology", "replicated", "options", "needs", "version", "host-time", "kind", "least-ttl"}
}

// driver reads the entry of one driver.
func (f reader) driver(name, n *yaml.Node) (registry.DriverEntry, error) {
	dir, err := filepath.Abs(filepath.Dir(f.Path))
	if err != nil {
		return registry.DriverEntry{}, err
	}
	e := registry.DriverEntry{Dir: dir, About: "a driver of " + filepath.Base(f.Path), Options: map[string]string{}}
	err = f.Each(n, driverKeys(), func(key, v *yaml.Node) (err error) {
		switch key.Value {
		case "about":
			e.About, err = f.Text(v)
		case "command":
			e.Command, err = f.Words(v)
		case "topology":
			e.Topology, err = f.topology(v)
		case "replicated":
			e.Replicated, err = f.topology(v)
		case "version":
			e.Version, err = f.Words(v)
		case "needs":
			e.Needs, err = f.Words(v)
		case "host-time":
			e.HostTime, err = f.truth(v)
		case "kind":
			e.Kind, err = f.kind(v)
		case "least-ttl":
			e.LeastTTL, err = f.duration(v)
		case "options":
			err = f.Each(v, nil, func(option, v *yaml.Node) (err error) {
				e.Options[option.Value], err = f.Text(v)
				return err
			})
		}
		return err
	})
	_, own := registry.Locks()[name.Value]
	switch {
	case err != nil:
		return e, err
	case own:
		return e, f.Wrong(name, "a driver is called %q, as a lock of this repository is", name.Value)
	case len(e.Command) == 0:
		return e, f.Wrong(name, "driver %s has no command", name.Value)
	case e.Topology == "":
		return e, f.Wrong(name, "driver %s has no topology; there are %s", name.Value, strings.Join(registry.Topologies(), ", "))
	}
	return e, nil
}

// truth reads true or false.
func (f reader) truth(n *yaml.Node) (is bool, err error) {
	if err := n.Decode(&is); err != nil {
		return false, f.Wrong(n, "true or false is needed here")
	}
	return is, nil
}

func (f reader) duration(n *yaml.Node) (time.Duration, error) {
	text, err := f.Text(n)
	if err != nil {
		return 0, err
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return 0, f.Wrong(n, "a duration is needed here, as 2s")
	}
	return d, nil
}

func (f reader) kind(n *yaml.Node) (string, error) {
	name, err := f.Text(n)
	if err != nil {
		return "", err
	}
	if err := registry.KnownKind(name); err != nil {
		return "", f.Wrong(n, "%v", err)
	}
	return name, nil
}

func (f reader) topology(n *yaml.Node) (string, error) {
	name, err := f.Text(n)
	if err != nil {
		return "", err
	}
	if err := registry.KnownTopology(name); err != nil {
		return "", f.Wrong(n, "%v", err)
	}
	return name, nil
}

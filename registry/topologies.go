package registry

import (
	"fmt"
	"slices"
	"strings"

	"locktorture/cluster"
	"locktorture/internal/suggest"
)

// NoTopology is the topology of a driver that brings its own service.
const NoTopology = "none"

// Topologies returns the sorted names of all topologies, including NoTopology.
func Topologies() []string {
	names := []string{NoTopology}
	for name := range cluster.Topologies() {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// KnownTopology returns an error if there is no topology with this name.
func KnownTopology(name string) error {
	names := Topologies()
	if slices.Contains(names, name) {
		return nil
	}
	if near := suggest.Nearest(name, names); near != "" {
		return fmt.Errorf("no topology is called %q; did you mean %s?", name, near)
	}
	return fmt.Errorf("no topology is called %q; there are %s", suggest.Short(name, suggest.Shown), strings.Join(names, ", "))
}

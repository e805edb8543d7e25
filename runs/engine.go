package runs

import (
	"context"

	"locktorture/cluster/docker"
	"locktorture/registry"
)

// WantsEngine reports whether one of the topologies is to be served by containers, and this
// program has no libraries for them.
func (s ServerSpec) WantsEngine(topologies ...string) bool {
	switch {
	case docker.Compiled:
		return false
	case s.Cluster == docker.Name:
		return docker.Answers(context.Background()) == nil
	case s.Cluster != registry.Automatic || docker.Answers(context.Background()) != nil:
		return false
	}
	local := registry.Servers{Cluster: "process"}
	for _, topology := range topologies {
		if _, _, err := local.For(topology); err != nil && topology != "" {
			return true
		}
	}
	return false
}

// engine is docker.ErrNotCompiled where the servers of a run are to be containers.
func (s Spec) engine(b registry.Backend) error {
	if b.Serve != nil {
		return nil
	}
	topology, err := topologyOf(s, b)
	if err == nil && s.WantsEngine(topology) {
		err = docker.ErrNotCompiled
	}
	return err
}

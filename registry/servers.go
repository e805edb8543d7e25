package registry

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"locktorture/cluster"
	"locktorture/cluster/docker"
	"locktorture/cluster/embedded"
	"locktorture/cluster/process"
	"locktorture/cluster/toxiproxy"
)

// Automatic takes the first provisioner that can serve a topology; Theirs stands for
// servers that the user runs.
const (
	Automatic = "auto"
	Theirs    = "external"
)

// Clusters returns the names of all places from which servers may come.
func Clusters() []string { return []string{Automatic, "process", "docker", "embedded", Theirs} }

// Servers says where servers come from.
type Servers struct {
	Cluster string            // one of Clusters
	Images  map[string]string // of containers, by server; "local": what make images has made
}

// Provisioners are those that Automatic tries, in this order.
func Provisioners(images map[string]string) []cluster.Candidate {
	return []cluster.Candidate{
		{Name: "process", Provisioner: process.New()},
		{Name: "docker", Provisioner: docker.New(images)},
		{Name: "embedded", Provisioner: embedded.Provisioner{}},
	}
}

// A NotServedError says why nothing here can serve what was asked for.
type NotServedError struct{ Err error }

func (e *NotServedError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *NotServedError) Unwrap() error { return e.Err }

// For picks the provisioner that is named, or of all the first that can serve the
// topology, and says why. Its error is a NotServedError, or docker.ErrNotCompiled.
func (s Servers) For(topology string) (cluster.Provisioner, string, error) {
	candidates := Provisioners(s.Images)
	if s.Cluster != Automatic {
		candidates = slices.DeleteFunc(candidates, func(c cluster.Candidate) bool { return c.Name != s.Cluster })
	}
	if len(candidates) == 0 {
		return nil, "", &NotServedError{fmt.Errorf("it starts no servers")}
	}
	c, why, err := cluster.Choose(topology, candidates...)
	if err != nil {
		return nil, "", &NotServedError{err}
	}
	if c.Name == docker.Name && !docker.Compiled {
		return nil, "", docker.ErrNotCompiled
	}
	return c.Provisioner, why, nil
}

// Start starts the servers of a backend, or what it needs where it has none, and says where
// they come from and why. The provisioner of cfg is chosen here; its proxies are toxiproxy's. It returns a NotServedError
// if nothing can serve them.
func (s Servers) Start(ctx context.Context, b Backend, cfg cluster.Config) (*cluster.Cluster, string, error) {
	if b.Serve != nil {
		c, err := b.Serve()
		return c, "no servers: " + b.Without, err
	}
	p, why, err := s.For(cfg.Topology)
	if err != nil {
		return nil, "", err
	}
	if b.Real && p == (embedded.Provisioner{}) {
		return nil, "", &NotServedError{fmt.Errorf("%s needs real servers: embedded servers do not have all that it asks for", b.Name)}
	}
	if err := b.Prepare(ctx); err != nil {
		return nil, "", err
	}
	if cfg.Provisioner = p; cfg.Forward == nil {
		cfg.Forward = toxiproxy.Forward
	}
	c, err := cluster.StartConfig(ctx, cfg)
	return c, cfg.Topology + " on " + why, err
}

// NoServers is the answer of ServedBy for a topology that nothing serves here.
const NoServers = "nothing here (make servers)"

// ServedBy says which candidates would serve a topology here.
func ServedBy(candidates []cluster.Candidate, topology string) string {
	if topology == "" {
		return "no servers needed"
	}
	var can []string
	for _, c := range candidates {
		if _, _, err := cluster.Choose(topology, c); err == nil {
			can = append(can, c.Name)
		}
	}
	if len(can) == 0 {
		return NoServers
	}
	return strings.Join(can, ", ")
}

// ServedBy says which candidates would serve the backend here.
func (b Backend) ServedBy(candidates []cluster.Candidate) string {
	fit := slices.DeleteFunc(slices.Clone(candidates), func(c cluster.Candidate) bool { return b.Real && c.Name == embedded.Name })
	return ServedBy(fit, b.Topology)
}

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

// Automatic selects the first provisioner that can serve a topology. Theirs stands for
// servers that the user runs.
const (
	Automatic = "auto"
	Theirs    = "external"
)

// Clusters returns the names of all places from which servers may come.
func Clusters() []string { return []string{Automatic, "process", "docker", "embedded", Theirs} }

// Servers determines where servers come from.
type Servers struct {
	Cluster string            // one of Clusters
	Images  map[string]string // kind of server → image; "local": the image made by make images
}

// Provisioners returns the provisioners that Automatic tries, in this order.
func Provisioners(images map[string]string) []cluster.Candidate {
	return []cluster.Candidate{
		{Name: "process", Provisioner: process.New()},
		{Name: "docker", Provisioner: docker.New(images)},
		{Name: "embedded", Provisioner: embedded.Provisioner{}},
	}
}

// A NotServedError holds the reason why no provisioner here can serve a topology or a backend.
type NotServedError struct{ Err error }

func (e *NotServedError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *NotServedError) Unwrap() error { return e.Err }

// For returns the provisioner that s.Cluster names, or for Automatic the first one that
// can serve the topology, and the reason for the choice. Its error is a NotServedError, or
// docker.ErrNotCompiled.
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

// Start starts the servers of a backend, or calls its Serve if it has no servers. It also
// returns where the servers come from, and why. Start chooses the provisioner of cfg itself,
// and uses toxiproxy unless cfg.Forward is set. Its error is a NotServedError if no provisioner
// can serve the backend.
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

// NoServers is the result of ServedBy for a topology that no provisioner here can serve.
const NoServers = "nothing here (make servers)"

// ServedBy lists the candidates that can serve a topology here.
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

// ServedBy lists the candidates that can serve the backend here.
func (b Backend) ServedBy(candidates []cluster.Candidate) string {
	fit := slices.DeleteFunc(slices.Clone(candidates), func(c cluster.Candidate) bool { return b.Real && c.Name == embedded.Name })
	return ServedBy(fit, b.Topology)
}

package registry

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"strings"

	"locktorture/cluster"
	"locktorture/cluster/external"
	"locktorture/cluster/toxiproxy"
	"locktorture/locks"
)

// NotForDrivers is the reason why drivers do not run on servers of the user.
const NotForDrivers = "a driver names its keys itself, so torture cannot promise to leave the keys of others alone"

// Joined is a cluster of servers that the user runs. Its Close removes every key below the prefix.
type Joined struct {
	*cluster.Cluster
	Access *locks.Access // login and TLS for every client and prober
	Prefix string        // begins every key
}

// A NeedsError names a missing setting that a topology needs.
type NeedsError struct{ Topology, Setting string }

func (e *NeedsError) Error() string { return e.Topology + " needs " + e.Setting }

// A TLSError reports what is wrong with the files of certificates.
type TLSError struct{ Err error }

func (e *TLSError) Error() string { return "TLS: " + e.Err.Error() }

// Unwrap returns the wrapped error.
func (e *TLSError) Unwrap() error { return e.Err }

// Join makes a cluster of the servers, with the given number of links to each, one for each client.
// If the prefix is "", Join draws one. Its error is a NotServedError, a NeedsError, an
// EndpointError, a TLSError, external.ErrTaken, or an error of the servers.
func (x External) Join(ctx context.Context, topology, prefix string, links int) (Joined, error) {
	if err := external.Serves(topology); err != nil {
		return Joined{}, &NotServedError{err}
	}
	if err := x.serves(topology); err != nil {
		return Joined{}, err
	}
	prefix = external.PrefixOn(topology, prefix)
	cfg, err := x.config(topology, prefix, links)
	if err != nil {
		return Joined{}, err
	}
	asks := topology == "redis-sentinel" && external.SentinelAsks(ctx, cfg)
	c, err := external.Join(ctx, cfg)
	if err != nil {
		return Joined{}, err
	}
	a, err := x.access(serverNames(c, links))
	if err != nil {
		return Joined{}, err
	}
	a.SentinelAsks = asks
	return Joined{c, a, prefix}, nil
}

// Sweep removes the keys that a run has left below its prefix, and returns their number.
func (x External) Sweep(ctx context.Context, topology, prefix string) (int, error) {
	cfg, err := x.config(topology, prefix, 1)
	if err != nil {
		return 0, err
	}
	return external.Sweep(ctx, cfg)
}

// serves returns an error if a setting that the topology needs is missing, or if the scheme of an
// endpoint belongs to servers of another kind.
func (x External) serves(topology string) error {
	for i, scheme := range x.schemes {
		if fit := external.Schemes(topology); scheme != "" && !slices.Contains(fit, scheme) {
			return &EndpointError{i + 1, fmt.Errorf("%s:// is not spoken by %s; use %s", scheme, topology, forms(fit))}
		}
	}
	switch topology {
	case "mariadb", "mariadb-replica", "mariadb-3", "postgres", "s3":
		if x.Database == "" {
			return &NeedsError{topology, "database"}
		}
	case "redis-sentinel":
		if x.Master == "" {
			return &NeedsError{topology, "sentinel-master"}
		}
	}
	return nil
}

// forms returns the ways in which an endpoint can be written: "redis://, rediss:// or
// host:port".
func forms(schemes []string) string {
	if len(schemes) == 0 {
		return "host:port"
	}
	return strings.Join(schemes, "://, ") + ":// or host:port"
}

// config returns the configuration for package cluster/external.
func (x External) config(topology, prefix string, links int) (external.Config, error) {
	a, err := x.access(map[string]string{})
	if err != nil {
		return external.Config{}, err
	}
	if _, err := a.TLSConfig(x.Endpoints[0]); err != nil {
		return external.Config{}, &TLSError{err}
	}
	return external.Config{
		Topology: topology, Endpoints: x.Endpoints, Clients: links, Forward: toxiproxy.Forward, Prefix: prefix,
		User: x.User, Password: x.Password, Database: x.Database, Master: x.Master,
		Dial: a.Dial, DialHTTP2: a.DialHTTP2, TLS: a.TLSConfig,
	}, nil
}

// access returns the access for clients. names maps each dialed address to the host of its server.
// Paths become absolute, because a client's process may run in another directory.
func (x External) access(names map[string]string) (*locks.Access, error) {
	a := &locks.Access{User: x.User, Password: x.Password, Database: x.Database, Master: x.Master, Names: names}
	if x.TLS == nil {
		return a, nil
	}
	t := *x.TLS
	for _, path := range []*string{&t.CA, &t.Cert, &t.Key} {
		if *path == "" {
			continue
		}
		var err error
		if *path, err = filepath.Abs(*path); err != nil {
			return nil, err
		}
	}
	a.TLS = &t
	return a, nil
}

// serverNames maps the address of each server, and of each proxy to it, to the host of the server.
// TLS needs this host, because the certificate belongs to the server and not to the dialed address.
func serverNames(c *cluster.Cluster, links int) map[string]string {
	names := map[string]string{}
	for i, n := range c.Nodes {
		host, _, err := net.SplitHostPort(n.Addr())
		if err != nil {
			continue // cannot happen: the address was dialed before
		}
		names[n.Addr()] = host
		for client := 1; client <= links; client++ {
			if l := c.Link(client, i); l != nil {
				names[l.Addr()] = host
			}
		}
	}
	return names
}

package main

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"regexp"
	"strings"
	"time"

	"locktorture/cluster"
	theirs "locktorture/cluster/external"
	"locktorture/registry"
)

// notForDrivers is why drivers are not run on servers of the user's.
const notForDrivers = "a driver names its keys itself, so that nobody can promise to leave the keys of others alone"

// joinCluster makes the cluster of the user's servers.
func joinCluster(ctx context.Context, s *runSpec, b registry.Backend) (*cluster.Cluster, string, error) {
	if b.Driver != nil {
		return nil, "", usage("--cluster external: %s", notForDrivers)
	}
	topology, err := topologyOf(*s, b)
	if err != nil {
		return nil, "", err
	}
	if err := theirs.Serves(topology); err != nil {
		return nil, "", usage("--cluster external: %v", err)
	}
	if topology == "mariadb" || topology == "mariadb-replica" || topology == "mariadb-3" || topology == "postgres" {
		if s.Database == "" {
			return nil, "", usage("--cluster external: %s needs --database", topology)
		}
	}
	if topology == "redis-sentinel" && s.SentinelMaster == "" {
		return nil, "", usage("--cluster external: redis-sentinel needs --sentinel-master")
	}
	if s.access, err = s.accessSpec.open(); err != nil {
		return nil, "", err
	}
	s.prefix = prefixOn(topology, s.KeyPrefix)
	cfg := s.externalConfig(topology)
	if topology == "redis-sentinel" {
		s.access.SentinelAsks = theirs.SentinelAsks(ctx, cfg)
	}
	c, err := theirs.Join(ctx, cfg)
	if errors.Is(err, theirs.ErrTaken) {
		return nil, "", usage("--key-prefix: %v: all below it would be removed in the end; if a killed run has left it: torture clean --keys RUNDIR", err)
	}
	if err != nil {
		return nil, "", broken(err)
	}
	s.access.Names = serverNames(c, cfg.Clients)
	return c, topology + " on cluster external: the servers that --endpoints names; keys begin with " + s.prefix, nil
}

// externalConfig is what the provisioner is told.
func (s *runSpec) externalConfig(topology string) theirs.Config {
	links := s.Clients
	if s.direct() {
		links = 1
	}
	user, password := s.access.Login()
	return theirs.Config{
		Topology: topology, Endpoints: s.Endpoints, Clients: links, Prefix: s.prefix,
		User: user, Password: password, Database: s.Database, Master: s.SentinelMaster,
		Dial: s.access.Dial, DialHTTP2: s.access.DialHTTP2, TLS: s.access.TLSConfig,
	}
}

// serverNames are the hosts of the servers by the address of every proxy to them:
// a certificate is the server's, whoever is dialed.
func serverNames(c *cluster.Cluster, clients int) map[string]string {
	names := map[string]string{}
	for i, n := range c.Nodes {
		host, _, err := net.SplitHostPort(n.Addr())
		if err != nil {
			continue // it was dialed
		}
		names[n.Addr()] = host
		for client := 1; client <= clients; client++ {
			if l := c.Link(client, i); l != nil {
				names[l.Addr()] = host
			}
		}
	}
	return names
}

// notInTables is what a table's name had better not have.
var notInTables = regexp.MustCompile(`[^A-Za-z0-9_]`)

// prefixOn is the prefix of a run, in the form that the servers of a topology want.
func prefixOn(topology, given string) string {
	if given == "" {
		const letters = "abcdefghijklmnopqrstuvwxyz"
		id := []byte(time.Now().Format("20060102-150405-"))
		for range 4 {
			id = append(id, letters[rand.IntN(len(letters))])
		}
		given = "torture:" + string(id) + ":"
	}
	switch topology {
	case "zookeeper-3": // a node, which is made and removed
		return "/" + strings.Trim(given, "/:")
	case "mariadb", "mariadb-replica", "mariadb-3":
		return notInTables.ReplaceAllString(given, "_")
	}
	return given
}

// sweepRun removes what a killed run has left on servers of the user's.
func sweepRun(ctx context.Context, path string) (int, error) {
	s, topology, err := specOfRun(ctx, path)
	if err != nil {
		return 0, err
	}
	n, err := theirs.Sweep(ctx, s.externalConfig(topology))
	if err = s.cleanError(err); err != nil {
		return n, broken(err)
	}
	return n, nil
}

var errNotExternal = errors.New("the run was not on servers of your own")

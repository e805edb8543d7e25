// Package external makes a cluster of servers that the user runs and names. It
// asks them for their versions, gives clients links of their own to them, and removes every
// key below the prefix of the run in the end. It has no power over the servers themselves.
package external

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"locktorture/cluster"
)

// A Config says which servers and how to get into them.
type Config struct {
	Topology  string
	Endpoints []string // host:port
	Clients   int
	Forward   cluster.Forwarder // makes the proxies of links
	// Prefix begins every key; what is below it is removed by Close.
	Prefix string

	User, Password string
	Database       string // of SQL servers
	Master         string // the name by which sentinels know their primary
	// Dial connects, with TLS if the servers want it from the first byte; protocols lists the
	// ones to negotiate in the handshake.
	Dial      func(ctx context.Context, network, addr string) (net.Conn, error)
	DialHTTP2 func(ctx context.Context, network, addr string) (net.Conn, error)
	// TLS is for protocols that begin in clear; nil is plain.
	TLS func(addr string) (*tls.Config, error)
}

// A service is the client side of one kind of server.
type service interface {
	// version returns the version that the server reports.
	version(ctx context.Context, addr string) (string, error)
	// some returns something that is below the prefix; "" is nothing.
	some(ctx context.Context) (string, error)
	// prepare makes what must be there before the first lock.
	prepare(ctx context.Context) error
	// looker looks at a server.
	looker(s server) looker
	// sweep removes what is below the prefix and returns how much that was.
	sweep(ctx context.Context) (int, error)
}

// A shape describes a topology whose servers the user runs.
type shape struct {
	kind string // of the nodes, as in their names
	one  bool   // one endpoint exactly
	make func(Config) service
}

func shapes() map[string]shape {
	return map[string]shape{
		"redis":           {"redis", true, newRedis},
		"redis-replicas":  {"redis", true, newRedis},
		"redis-5":         {"redis", false, newRedis},
		"redis-sentinel":  {"sentinel", false, newRedis},
		"redis-cluster":   {"redis", false, newRedis},
		"etcd-3":          {"etcd", false, newEtcd},
		"zookeeper-3":     {"zookeeper", false, newZooKeeper},
		"consul-3":        {"consul", false, newConsul},
		"mariadb":         {"mariadb", true, newMySQL},
		"mariadb-replica": {"mariadb", true, newMySQL},
		"mariadb-3":       {"mariadb", false, newMySQL},
		"postgres":        {"postgres", true, newPostgres},
		"memcached":       {"memcached", true, newMemcached},
		"s3":              {"s3", true, newS3},
	}
}

// Serves returns nil, or why a topology cannot be made of endpoints.
func Serves(topology string) error {
	if t, ok := cluster.Topologies()[topology]; ok && t.Nodes == 0 {
		return fmt.Errorf("external: %s has no server that somebody could run", topology)
	}
	if _, ok := shapes()[topology]; !ok {
		return fmt.Errorf("external: servers of one's own cannot be %s: its servers are of two kinds, with a login each", topology)
	}
	return nil
}

// askTime bounds the first questions to the servers.
const askTime = 15 * time.Second

// ErrUnreachable is wrapped by errors that say that a server did not answer, or
// let nobody in.
var ErrUnreachable = errors.New("server cannot be used")

// ErrTaken is wrapped by the error that says that something is below the prefix
// already: what the run removes in the end would not be its own.
var ErrTaken = errors.New("the prefix is not free")

// Join makes the cluster. Nothing of the servers' is changed, but for what is below the
// prefix. A server that cannot be used as it is, is an error that wraps ErrUnreachable.
func Join(ctx context.Context, cfg Config) (*cluster.Cluster, error) {
	if err := Serves(cfg.Topology); err != nil {
		return nil, err
	}
	s := shapes()[cfg.Topology]
	if s.one && len(cfg.Endpoints) != 1 {
		return nil, fmt.Errorf("external: %s is one endpoint, not %d", cfg.Topology, len(cfg.Endpoints))
	}
	asking, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	found, err := discover(asking, cfg, s)
	if err != nil {
		return nil, err
	}
	svc := s.make(cfg.with(found))
	nodes, err := meet(asking, cfg, svc, found)
	if err != nil {
		return nil, err
	}
	leave := func(ctx context.Context) error { return leave(ctx, svc, nodes) }
	if err := allUsable(ctx, nodes); err != nil {
		_ = leave(ctx) // the first error counts
		return nil, err
	}
	adopted := cluster.Adoption{Topology: cfg.Topology, Provisioner: "external", Clients: cfg.Clients, Forward: cfg.Forward, Close: leave}
	for _, n := range nodes {
		adopted.Nodes = append(adopted.Nodes, n)
		if cfg.Topology == "redis-sentinel" || cfg.Topology == "redis-cluster" {
			adopted.Announced = append(adopted.Announced, n.addr)
		}
	}
	return cluster.Adopt(adopted)
}

// leave removes what is below the prefix. A server that cannot be used at all is not waited for.
func leave(ctx context.Context, svc service, nodes []*node) error {
	asking, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	for _, n := range nodes {
		defer n.looker.close()
		err := n.looker.look(asking)
		if errors.Is(err, errSilent) || errors.Is(err, errRefused) || errors.Is(err, errBroken) {
			return fmt.Errorf("%w: %s: %w", ErrLeft, n.addr, err)
		}
	}
	_, err := sweep(ctx, svc)
	return err
}

// meet asks the servers for their versions, and makes what locks need there.
func meet(ctx context.Context, cfg Config, svc service, found []server) (nodes []*node, err error) {
	for i, f := range found {
		v, err := svc.version(ctx, f.addr)
		if err != nil {
			return nil, fmt.Errorf("external: %s: %w: %w", f.addr, ErrUnreachable, err)
		}
		nodes = append(nodes, &node{name: f.name(found[:i]), addr: f.addr, version: v, looker: svc.looker(f)})
	}
	taken, err := svc.some(ctx)
	switch {
	case err != nil:
		return nil, fmt.Errorf("external: look below %q: %w: %w", cfg.Prefix, ErrUnreachable, err)
	case taken != "":
		return nil, fmt.Errorf("external: %q is there: %w", taken, ErrTaken)
	}
	if err := svc.prepare(ctx); err != nil {
		return nil, fmt.Errorf("external: prepare %q: %w", cfg.Prefix, err)
	}
	return nodes, nil
}

// allUsable returns why one of the servers cannot be used, as it is now.
func allUsable(ctx context.Context, nodes []*node) error {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	for _, n := range nodes {
		if err := usable(ctx, n.looker); err != nil {
			return fmt.Errorf("external: %s: %w: %w", n.addr, ErrUnreachable, err)
		}
	}
	return nil
}

// discover finds the servers behind the endpoints: a Sentinel and a Redis Cluster can name the
// others.
func discover(ctx context.Context, cfg Config, s shape) ([]server, error) {
	switch cfg.Topology {
	case "redis-sentinel":
		return discoverSentinel(ctx, cfg)
	case "redis-cluster":
		return discoverCluster(ctx, cfg)
	}
	var found []server
	for _, addr := range cfg.Endpoints {
		found = append(found, server{s.kind, addr})
	}
	return found, nil
}

// with returns the configuration for the servers that were found.
func (c Config) with(found []server) Config {
	c.Endpoints = nil
	for _, f := range found {
		if f.kind != "sentinel" { // it keeps no keys
			c.Endpoints = append(c.Endpoints, f.addr)
		}
	}
	return c
}

// A server is one that was named or found.
type server struct{ kind, addr string }

// name returns the node's name, given the servers before it.
func (s server) name(before []server) string {
	n := 1
	for _, b := range before {
		if b.kind == s.kind {
			n++
		}
	}
	return fmt.Sprintf("%s-%d", s.kind, n)
}

// first returns the first of what was found, "" if that is nothing.
func first(found []string) string {
	if len(found) == 0 {
		return ""
	}
	return found[0]
}

// A node is a server of somebody else's: nothing can be done to it but to look at it.
type node struct {
	name, addr, version string
	looker              looker
}

var _ cluster.Node = (*node)(nil)

// Name returns the node's name in the cluster.
func (n *node) Name() string { return n.name }

// Addr returns where the user says that it listens.
func (n *node) Addr() string { return n.addr }

// Version returns what it says.
func (n *node) Version() string { return n.version }

// Look returns in few words why the server cannot be used, as it is now; nil: it can. One calls
// it at a time.
func (n *node) Look(ctx context.Context) error { return n.looker.look(ctx) }

// Stop does nothing: it is not ours.
func (n *node) Stop(context.Context) error { return nil }

// unknown returns the version text of a server that does not report one.
func unknown(why string) string { return "unknown (" + strings.TrimSpace(why) + ")" }

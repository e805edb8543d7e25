// Package external makes a cluster of servers that the user runs and names. It asks them for their
// versions, gives every client its own links to them, and finally removes every key below the
// prefix of the run. It does not control the servers themselves.
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

// A Config names the servers and the credentials for them.
type Config struct {
	Topology  string
	Endpoints []string // host:port
	Clients   int
	Forward   cluster.Forwarder // makes the proxies of links
	// Prefix begins every key. The cluster's Close removes all keys below it.
	Prefix string

	User, Password string
	Database       string // database of SQL servers, or bucket of an object store
	Master         string // name of the primary in the configuration of the sentinels
	// Dial connects, with TLS if the servers expect it from the first byte. DialHTTP2 also
	// negotiates HTTP/2 in the handshake.
	Dial      func(ctx context.Context, network, addr string) (net.Conn, error)
	DialHTTP2 func(ctx context.Context, network, addr string) (net.Conn, error)
	// TLS returns the configuration for protocols that switch to TLS after their first messages. A
	// nil configuration means no TLS.
	TLS func(addr string) (*tls.Config, error)
}

// A service is the client side of one kind of server.
type service interface {
	// version returns the version that the server reports.
	version(ctx context.Context, addr string) (string, error)
	// some returns one key below the prefix, or "" if there is none.
	some(ctx context.Context) (string, error)
	// prepare makes the objects that must exist before the first lock.
	prepare(ctx context.Context) error
	// looker returns the looker for a server.
	looker(s server) looker
	// sweep removes all keys below the prefix and returns their number.
	sweep(ctx context.Context) (int, error)
}

// A shape describes a topology whose servers the user runs.
type shape struct {
	kind string // kind of the nodes, which begins their names: "redis"
	one  bool   // exactly one endpoint is allowed
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

// Serves returns nil, or the reason why the topology cannot consist of the user's servers.
func Serves(topology string) error {
	if t, ok := cluster.Topologies()[topology]; ok && t.Nodes == 0 {
		return fmt.Errorf("external: %s has no server that a user could run", topology)
	}
	if _, ok := shapes()[topology]; !ok {
		return fmt.Errorf("external: %s can consist only of servers that torture starts itself: leave --cluster external out", topology)
	}
	return nil
}

// askTime bounds the requests that Join sends before the cluster is used, and the looks of leave.
const askTime = 15 * time.Second

// ErrUnreachable is wrapped by the errors about a server that did not answer or denied access.
var ErrUnreachable = errors.New("server cannot be used")

// ErrTaken is wrapped by the error about a prefix below which keys already exist. The run would
// remove them at its end although they are not its own.
var ErrTaken = errors.New("the prefix is not free")

// Join makes the cluster. It changes the servers only below the prefix. The error about an unusable
// server wraps ErrUnreachable.
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
		_ = leave(ctx) // the first error is returned
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

// leave removes all keys below the prefix. It does not wait for an unusable server.
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

// meet asks the servers for their versions, and makes the objects that locks need.
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
		return nil, fmt.Errorf("external: list the keys below %q: %w: %w", cfg.Prefix, ErrUnreachable, err)
	case taken != "":
		return nil, fmt.Errorf("external: %q exists: %w", taken, ErrTaken)
	}
	if err := svc.prepare(ctx); err != nil {
		return nil, fmt.Errorf("external: prepare %q: %w", cfg.Prefix, err)
	}
	return nodes, nil
}

// allUsable returns nil, or the reason why one of the servers is currently unusable.
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

// discover finds the servers behind the endpoints: a Sentinel and a Redis Cluster can name all
// their servers.
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

// with returns the configuration for the discovered servers.
func (c Config) with(found []server) Config {
	c.Endpoints = nil
	for _, f := range found {
		if f.kind != "sentinel" { // a sentinel stores no keys
			c.Endpoints = append(c.Endpoints, f.addr)
		}
	}
	return c
}

// A server is a server that was named or discovered.
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

// first returns the first element, or "" if there is none.
func first(found []string) string {
	if len(found) == 0 {
		return ""
	}
	return found[0]
}

// A node is a server that somebody else runs. The harness can only check that it is usable.
type node struct {
	name, addr, version string
	looker              looker
}

var _ cluster.Node = (*node)(nil)

// Name returns the node's name in the cluster.
func (n *node) Name() string { return n.name }

// Addr returns the address that the user gave or that discover found.
func (n *node) Addr() string { return n.addr }

// Version returns the version that the server reported.
func (n *node) Version() string { return n.version }

// Look returns nil, or a short reason why the server is currently unusable. Only one call may run
// at a time.
func (n *node) Look(ctx context.Context) error { return n.looker.look(ctx) }

// LookEvery implements harness.Spared.
func (n *node) LookEvery() time.Duration { return n.looker.interval() }

// Stop does nothing, because the server is not ours.
func (n *node) Stop(context.Context) error { return nil }

// unknown returns the version text of a server that does not report a version.
func unknown(why string) string { return "unknown (" + strings.TrimSpace(why) + ")" }

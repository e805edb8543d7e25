package cluster

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// A Topology is an arrangement of servers.
type Topology struct {
	Needs       []string // needs that a provisioner must serve, see Provisioner
	Nodes       int
	Description string

	start func(context.Context, *builder) error
}

// Topologies returns all topologies by name.
func Topologies() map[string]Topology {
	return map[string]Topology{
		"redis": {
			Needs: []string{"redis"}, Nodes: 1, start: startRedis,
			Description: "one Redis with its data on disk",
		},
		"redis-replicas": {
			Needs: []string{"redis", "redis:replication"}, Nodes: 3, start: startReplicas,
			Description: "a Redis primary with two replicas behind one virtual endpoint",
		},
		"redis-sentinel": {
			Needs: []string{"redis", "redis:replication", "sentinel"}, Nodes: 6, start: startSentinel,
			Description: "a Redis primary with two replicas, and three sentinels that promote them",
		},
		"redis-cluster": {
			Needs: []string{"redis", "redis:replication", "redis:cluster"}, Nodes: shardNodes, start: startRedisCluster,
			Description: "a Redis Cluster: three primaries, each with a replica",
		},
		"redis-5": {
			Needs: []string{"redis"}, Nodes: 5, start: startFive,
			Description: "five independent Redis, each with its data on disk",
		},
		"etcd-3": {
			Needs: []string{"etcd"}, Nodes: 3, start: startEtcd,
			Description: "three etcd that form one cluster",
		},
		"mariadb": {
			Needs: []string{"mariadb"}, Nodes: 1, start: startMariaDB,
			Description: "one MariaDB with its data on disk",
		},
		"mariadb-replica": {
			Needs: []string{"mariadb"}, Nodes: 2, start: startMariaDBReplica,
			Description: "a MariaDB primary with an asynchronous replica behind one virtual endpoint",
		},
		"mariadb-3": {
			Needs: []string{"mariadb"}, Nodes: 3, start: startMariaDBThree,
			Description: "three independent MariaDB, each with its data on disk",
		},
		"galera-3": {
			Needs: []string{"mariadb", "galera"}, Nodes: galeraNodes, start: startGalera,
			Description: "three MariaDB that form one Galera cluster; each client uses one of them",
		},
		"redis-mariadb": {
			Needs: []string{"redis", "mariadb"}, Nodes: 2, start: startRedisMariaDB,
			Description: "a Redis and a MariaDB, independent of each other",
		},
		"postgres": {
			Needs: []string{"postgres"}, Nodes: 1, start: startPostgres,
			Description: "one PostgreSQL with its data on disk",
		},
		"pgbouncer": {
			Needs: []string{"postgres", "pgbouncer"}, Nodes: 2, start: startPgBouncer("transaction"),
			Description: "a PgBouncer in transaction mode in front of one PostgreSQL",
		},
		"pgbouncer-session": {
			Needs: []string{"postgres", "pgbouncer"}, Nodes: 2, start: startPgBouncer("session"),
			Description: "a PgBouncer in session mode in front of one PostgreSQL",
		},
		"memcached": {
			Needs: []string{"memcached"}, Nodes: 1, start: startMemcached,
			Description: "one memcached, nothing on disk",
		},
		"nats-3": {
			Needs: []string{"nats"}, Nodes: 3, start: startNATS,
			Description: "three nats-server with JetStream, which form one cluster",
		},
		"directory": {
			start:       startDirectory,
			Description: "a directory of the file system that all clients share; no server",
		},
		"s3": {
			Needs: []string{"versitygw"}, Nodes: 1, start: startVersityGW,
			Description: "one versitygw: an S3 gateway on a directory",
		},
		"s3-gofakes3": {
			Needs: []string{"gofakes3"}, Nodes: 1, start: startGoFakeS3,
			Description: "one gofakes3: an S3 server for tests, on a file",
		},
		"dynalite": {
			Needs: []string{"dynalite"}, Nodes: 1, start: startDynalite,
			Description: "one dynalite: an emulator of DynamoDB's API, on LevelDB",
		},
		"zookeeper-3": {
			Needs: []string{"zookeeper"}, Nodes: 3, start: startZooKeeper,
			Description: "three ZooKeeper that form one cluster",
		},
		"kubernetes": {
			Needs: []string{"etcd", "kube-apiserver"}, Nodes: kubeServers + 1, start: startKubernetes,
			Description: "two API servers of Kubernetes over one etcd",
		},
		"consul-3": {
			Needs: []string{"consul"}, Nodes: 3, start: startConsul,
			Description: "three Consul servers that form one cluster",
		},
	}
}

// A Config describes a cluster to start.
type Config struct {
	Topology    string
	Provisioner Provisioner
	Forward     Forwarder // starts the proxies of links; nil: Plain
	Clients     int       // each client gets links of its own; clients are numbered from 1
	Dir         string    // directory for nodes/<name>/*.log; "": logs are removed with the data
	// Args are additional arguments for every server of a kind, after the arguments of the
	// topology: {"redis": {"--appendfsync", "always"}}.
	Args map[string][]string
}

// Start starts a cluster with the topology's own arguments; see StartConfig.
func Start(ctx context.Context, topology string, p Provisioner, clients int, dir string) (*Cluster, error) {
	return StartConfig(ctx, Config{Topology: topology, Provisioner: p, Clients: clients, Dir: dir})
}

// StartConfig starts a cluster and returns once it serves. If it fails, it removes all parts that
// it has started.
func StartConfig(ctx context.Context, cfg Config) (*Cluster, error) {
	t, ok := Topologies()[cfg.Topology]
	if !ok {
		names := slices.Sorted(maps.Keys(Topologies()))
		return nil, fmt.Errorf("start cluster: no topology %q, there are %s", cfg.Topology, strings.Join(names, ", "))
	}
	if err := serves(cfg.Provisioner, t); err != nil {
		return nil, fmt.Errorf("start %s: %w", cfg.Topology, err)
	}
	b := newBuilder(cfg)
	if err := t.start(ctx, b); err != nil {
		return nil, errors.Join(fmt.Errorf("start %s: %w", cfg.Topology, err), b.cluster.Close())
	}
	return b.cluster, nil
}

// serves returns nil, or the reason why a provisioner cannot make a topology.
func serves(p Provisioner, t Topology) error {
	for _, need := range t.Needs {
		if err := p.Serves(need); err != nil {
			return err
		}
	}
	return nil
}

// logDir returns the directory of a node's logs.
func (c Config) logDir(node string) string {
	if c.Dir == "" {
		return ""
	}
	return filepath.Join(c.Dir, "nodes", node)
}

package registry

import (
	"context"
	"time"

	"locktorture/cluster"
	"locktorture/locks"
	"locktorture/locks/consul"
	"locktorture/locks/etcd"
	"locktorture/locks/kubernetes"
	"locktorture/locks/thirdparty"
	"locktorture/locks/zookeeper"
)

// consensusLocks returns the locks and libraries on ZooKeeper, etcd and Consul.
func consensusLocks() map[string]Backend {
	return map[string]Backend{
		"zookeeper": onZooKeeper("ephemeral sequential nodes, watch on the predecessor; the pzxid of their parent is the token", zookeeper.Traits(),
			func(c zookeeper.Config) locks.Locker { return zookeeper.New(c) }).against("gozk"),
		"zookeeper-norecheck": onZooKeeper("zookeeper without a second check of the queue when the predecessor is gone", zookeeper.NoRecheckTraits(),
			func(c zookeeper.Config) locks.Locker { return zookeeper.NewNoRecheck(c) }),
		"zookeeper-herd": onZooKeeper("zookeeper, but every waiter watches the whole queue", zookeeper.HerdTraits(),
			func(c zookeeper.Config) locks.Locker { return zookeeper.NewHerd(c) }),
		"zookeeper-leader": onZooKeeper("leader election of ZooKeeper's recipes; the czxid of the leader's node is the term", zookeeper.LeaderTraits(),
			func(c zookeeper.Config) locks.Locker { return zookeeper.NewLeader(c) }),
		"zookeeper-barrier": unseen(onZooKeeper("the recipe's double barrier: each party has a node, and the barrier's data names the parties inside", zookeeper.BarrierTraits(),
			func(c zookeeper.Config) locks.Locker { return zookeeper.NewBarrier(c) })),
		"gozk": {
			About: "github.com/go-zookeeper/zk Lock, as it is", Topology: "zookeeper-3", HostTime: true, Traits: thirdparty.GozkTraits(), ProbeWith: probeZooKeeper, Options: []string{"session=kept"},
			Open: func(_ context.Context, a Args) (locks.Locker, error) {
				return thirdparty.NewGozk(thirdparty.GozkConfig{Endpoints: a.Endpoints, TTL: a.TTL, Owner: a.Owner, Access: a.Access, KeepSession: keepsSession(a)}), nil
			},
		},
		"etcd-concurrency": {
			About: "go.etcd.io/etcd/client/v3/concurrency: Session and Mutex, as they are", Topology: "etcd-3",
			HostTime: true, Traits: thirdparty.EtcdConcurrencyTraits(), ProbeWith: probeEtcd, Options: []string{"session=kept", "unlock=retried"},
			Open: func(_ context.Context, a Args) (locks.Locker, error) {
				c := thirdparty.EtcdConfig{Endpoints: a.Endpoints, TTL: a.TTL, Access: a.Access, KeepSession: keepsSession(a), RetryUnlock: a.Options["unlock"] == "retried"}
				if a.Options["session"] == "shared" {
					c.Session = sharedSession
				}
				return thirdparty.NewEtcdConcurrency(c)
			},
		},
		"etcd-barrier": {
			About: "the library's recipe, as it is: a key blocks everybody until it is deleted (a latch with a count of one)", Topology: "etcd-3",
			HostTime: true, Traits: thirdparty.EtcdBarrierTraits(), Bare: "etcd-gate",
			Open: func(_ context.Context, a Args) (locks.Locker, error) {
				return thirdparty.NewEtcdBarrier(thirdparty.EtcdConfig{Endpoints: a.Endpoints, TTL: a.TTL, Access: a.Access})
			},
		},
		"etcd-double-barrier": {
			About: "the library's recipe, as it is: each session has a key, and one more key says that all parties have come", Topology: "etcd-3",
			HostTime: true, Traits: thirdparty.EtcdDoubleBarrierTraits(), Bare: "etcd-party",
			Open: func(_ context.Context, a Args) (locks.Locker, error) {
				return thirdparty.NewEtcdDoubleBarrier(thirdparty.EtcdConfig{Endpoints: a.Endpoints, TTL: a.TTL, Access: a.Access})
			},
		},
		"etcd-election": {
			About: "go.etcd.io/etcd/client/v3/concurrency: Session and Election, as they are", Topology: "etcd-3",
			HostTime: true, Traits: thirdparty.EtcdElectionTraits(), ProbeWith: probeEtcd, Options: []string{"session=kept"},
			Open: func(_ context.Context, a Args) (locks.Locker, error) {
				return thirdparty.NewEtcdElection(thirdparty.EtcdConfig{Endpoints: a.Endpoints, TTL: a.TTL, Access: a.Access, KeepSession: keepsSession(a)})
			},
		},
		"etcd": onEtcd("lease, transaction on create revision, watch on the predecessor", etcd.Traits(),
			func(c etcd.Config) (locks.Locker, error) { return etcd.New(c) }).against("etcd-concurrency"),
		"etcd-put": onEtcd("lease and unconditional put: grants the lock to everybody", etcd.PutTraits(),
			func(c etcd.Config) (locks.Locker, error) { return etcd.NewPut(c) }),
		"etcd-api": onEtcd("the server's lock service, lease not renewed", etcd.APITraits(),
			func(c etcd.Config) (locks.Locker, error) { return etcd.NewAPI(c) }),
		"kubernetes-lease": {
			About: "k8s.io/client-go/tools/leaderelection over a Lease, as it is", Topology: "kubernetes", HostTime: true,
			Traits: kubernetes.Traits(), ProbeWith: probeKubernetes, Modules: []string{"k8s.io/client-go"}, Program: "kubernetes",
		},
		"consul": {
			About: "session with TTL and lock-delay, KV acquire, blocking query", Topology: "consul-3", Peer: "consul-api",
			Traits: consul.Traits(), ProbeWith: probeConsul, Retry: 20 * time.Millisecond,
			Open: func(_ context.Context, a Args) (locks.Locker, error) {
				return consul.New(consul.Config{Session: a.Prefix, Endpoints: a.Endpoints, TTL: a.TTL, Owner: a.Owner, Access: a.Access, Clock: a.Clock}), nil
			},
		},
		"consul-api": {
			About: "github.com/hashicorp/consul/api Lock, as it is", Topology: "consul-3",
			HostTime: true, Traits: consul.APITraits(), ProbeWith: probeConsul, Retry: 5 * time.Second,
			Modules: []string{consulAPI}, Program: "consul-api",
		},
	}
}

// keepsSession reports whether the client of a library reuses its session after a failure.
func keepsSession(a Args) bool { return a.Options["session"] == "kept" }

// sharedSession is the etcd lease of the one session that all clients share with the option
// session=shared.
const sharedSession = 0x5e55109

// onZooKeeper returns a backend on three ZooKeeper.
func onZooKeeper(about string, t locks.Traits, open func(zookeeper.Config) locks.Locker) Backend {
	return Backend{
		About: about, Topology: "zookeeper-3", Traits: t, ProbeWith: probeZooKeeper,
		Open: func(_ context.Context, a Args) (locks.Locker, error) {
			return open(zookeeper.Config{Endpoints: a.Endpoints, TTL: a.TTL, Owner: a.Owner, Access: a.Access, Clock: a.Clock}), nil
		},
	}
}

// onEtcd returns a backend of this repository (no library) on three etcd.
func onEtcd(about string, t locks.Traits, open func(etcd.Config) (locks.Locker, error)) Backend {
	return Backend{
		About: about, Topology: "etcd-3", Traits: t, ProbeWith: probeEtcdLocks,
		Open: func(_ context.Context, a Args) (locks.Locker, error) {
			return open(etcd.Config{Endpoints: a.Endpoints, TTL: a.TTL, Owner: a.Owner, Access: a.Access, Clock: a.Clock})
		},
	}
}

func probeZooKeeper(c *cluster.Cluster, a Args) (locks.Prober, error) {
	return zookeeper.NewProbeWith(zookeeper.Config{Endpoints: c.Endpoints(0), Access: a.Access}, "zookeeper"), nil
}

// probeEtcd probes the cluster as a whole, because any member answers for all.
func probeEtcd(c *cluster.Cluster, a Args) (locks.Prober, error) {
	return thirdparty.NewEtcdProbeWith(thirdparty.EtcdConfig{Endpoints: c.Endpoints(0), Access: a.Access}, "etcd")
}

// probeEtcdLocks probes the locks of package etcd, whose owner values differ
// from the owner values of etcd's own concurrency package.
func probeEtcdLocks(c *cluster.Cluster, a Args) (locks.Prober, error) {
	return etcd.NewProbeWith(etcd.Config{Endpoints: c.Endpoints(0), Access: a.Access}, "etcd")
}

func probeKubernetes(c *cluster.Cluster, _ Args) (locks.Prober, error) {
	return kubernetes.NewProbe(c.Endpoints(0), "kubernetes")
}

func probeConsul(c *cluster.Cluster, a Args) (locks.Prober, error) {
	return consul.NewProbeWith(consul.Config{Endpoints: c.Endpoints(0), Access: a.Access}, "consul"), nil
}

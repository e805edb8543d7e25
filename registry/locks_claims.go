package registry

import (
	"context"

	"locktorture/locks"
	"locktorture/locks/consul"
	"locktorture/locks/mysql"
	"locktorture/locks/postgres"
	"locktorture/locks/thirdparty"
	"locktorture/locks/zookeeper"
)

// claimLocks returns the read–write locks and semaphores that are not on Redis. Their servers are
// not probed, because they do not show when a session has ended, and because libraries do not
// reveal the names of their leases.
func claimLocks() map[string]Backend {
	return map[string]Backend{
		"etcd-rw": {
			About: "go.etcd.io/etcd/client/v3/experimental/recipes: RWMutex, as it is", Topology: "etcd-3", HostTime: true, Traits: thirdparty.EtcdRWTraits(),
			Open: func(_ context.Context, a Args) (locks.Locker, error) {
				return thirdparty.NewEtcdRW(thirdparty.EtcdConfig{Endpoints: a.Endpoints, TTL: a.TTL, Access: a.Access, OneMutex: a.Options["mutex"] == "one"})
			},
		},
		"zookeeper-rw": unseen(onZooKeeper("the recipe's shared locks: readers wait for earlier writers, and writers wait for everybody before them", zookeeper.RWTraits(),
			func(c zookeeper.Config) locks.Locker { return zookeeper.NewRW(c) })),
		"zookeeper-semaphore": unseen(onZooKeeper("the recipe's queue; with N permits, the first N nodes hold them", zookeeper.SemaphoreTraits(),
			func(c zookeeper.Config) locks.Locker { return zookeeper.NewSemaphore(c) })),
		"consul-semaphore": {
			About: "github.com/hashicorp/consul/api Semaphore, as it is", Topology: "consul-3", HostTime: true, Traits: consul.SemaphoreTraits(), Bare: "consul-cas",
			Modules: []string{consulAPI}, Program: "consul-api",
		},
		"mysql-shared": onMariaDB("SELECT ... LOCK IN SHARE MODE for readers, FOR UPDATE for writers", mysql.SharedTraits(), nil,
			func(c mysql.Config) locks.Locker { return mysql.NewShared(c) }).beside("mysql-for-update"),
		"postgres-shared": {
			About: "pg_advisory_lock_shared for readers, pg_advisory_lock for writers", Topology: "postgres", Traits: postgres.SharedTraits(),
			Open: func(_ context.Context, a Args) (locks.Locker, error) {
				return postgres.NewShared(postgres.Config{Addr: a.Endpoints[0], Owner: a.Owner, Access: a.Access}), nil
			},
		},
	}
}

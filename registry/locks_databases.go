package registry

import (
	"context"
	"time"

	"locktorture/cluster"
	"locktorture/locks"
	"locktorture/locks/memcached"
	"locktorture/locks/mysql"
	"locktorture/locks/postgres"
)

// databaseLocks returns the locks on MariaDB, PostgreSQL and memcached.
func databaseLocks() map[string]Backend {
	return map[string]Backend{
		"mysql-unique": onMariaDB("INSERT a row under a unique key, DELETE to release; no expiry", mysql.UniqueTraits(), mysql.NewUniqueProbe,
			func(c mysql.Config) locks.Locker { return mysql.NewUnique(c) }),
		"mysql-unique-ttl": onMariaDB("a row with owner, count and expiry by the database's clock; reaper, watchdog, reentrant", mysql.UniqueTTLTraits(), mysql.NewTTLProbe,
			func(c mysql.Config) locks.Locker { return mysql.NewUniqueTTL(c) }),
		"mysql-optimistic": onMariaDB("a version column: UPDATE ... WHERE version = ?", mysql.OptimisticTraits(), mysql.NewOptimisticProbe,
			func(c mysql.Config) locks.Locker { return mysql.NewOptimistic(c) }).beside("mysql-update"),
		"mysql-for-update": onMariaDB("SELECT ... FOR UPDATE in an open transaction", mysql.ForUpdateTraits(), nil,
			func(c mysql.Config) locks.Locker { return mysql.NewForUpdate(c) }).beside("mysql-for-update").replicatedOn("mariadb-replica"),
		"mysql-for-update-norow": onMariaDB("mysql-for-update without inserting the row first: broken", mysql.ForUpdateTraits(), nil,
			func(c mysql.Config) locks.Locker { return mysql.NewForUpdateNoRow(c) }).beside("mysql-for-update"),
		"mysql-for-update-noindex": onMariaDB("mysql-for-update without an index: unrelated locks wait for each other", mysql.ForUpdateTraits(), nil,
			func(c mysql.Config) locks.Locker { return mysql.NewForUpdateNoIndex(c) }).beside("mysql-for-update"),
		"mysql-get-lock": mysqlPooled(onMariaDB("GET_LOCK and RELEASE_LOCK on a pinned connection", mysql.GetLockTraits(), mysql.NewGetLockProbe,
			func(c mysql.Config) locks.Locker { return mysql.NewGetLock(c) })).beside("mysql-get-lock"),
		"mysql-failover": {
			About: "mysql-unique-ttl on a primary with an asynchronous replica", Tables: true, Topology: "mariadb-replica", Replicated: "mariadb-replica",
			Traits: mysql.UniqueTTLTraits(), ProbeWith: probeMariaDB(mysql.NewTTLProbe), Retry: 10 * time.Millisecond,
			Open: func(_ context.Context, a Args) (locks.Locker, error) {
				return mysql.NewUniqueTTL(mysqlConfig(a, a.Endpoints[0])), nil
			},
		},
		"mysql-quorum": {
			About: "a row with an expiry on a majority of three servers (N/2+1)", Tables: true, Topology: "mariadb-3",
			Traits: mysql.QuorumTraits(), ProbeWith: probeMariaDB(mysql.NewQuorumProbe), Retry: 10 * time.Millisecond,
			Open: func(_ context.Context, a Args) (locks.Locker, error) {
				return mysql.NewQuorum(a.Endpoints, mysqlConfig(a, "")), nil
			},
		},
		"galera-get-lock": onGalera("GET_LOCK on Galera, where each node has locks of its own: broken", mysql.GetLockTraits(),
			func(c mysql.Config) locks.Locker { return mysql.NewGetLock(c) }),
		"galera-for-update": onGalera("SELECT ... FOR UPDATE on Galera, which locks the row on one node only: broken", mysql.ForUpdateTraits(),
			func(c mysql.Config) locks.Locker { return mysql.NewForUpdate(c) }),
		"galera-unique-ttl": onGalera("mysql-unique-ttl on Galera, which certifies each write", mysql.UniqueTTLTraits(),
			func(c mysql.Config) locks.Locker { return mysql.NewUniqueTTL(c) }),
		"redis-mysql": {
			About: "a Redis lock, confirmed by a row in MySQL (double write)", Topology: "redis-mariadb",
			Traits: mysql.RedisMySQLTraits(), ProbeWith: probeRedisMySQL, Retry: 10 * time.Millisecond,
			Open: func(_ context.Context, a Args) (locks.Locker, error) {
				return mysql.NewRedisMySQL(a.Endpoints[0], mysqlConfig(a, a.Endpoints[1])), nil
			},
		},
		"postgres-advisory": postgresPooled(onPostgres("pg_advisory_lock on a pinned connection", postgres.AdvisoryTraits(), probePostgres,
			func(c postgres.Config) locks.Locker { return postgres.NewAdvisory(c) }).on("postgres")),
		"postgres-skip-locked": onPostgres("a row taken with FOR UPDATE SKIP LOCKED in an open transaction, as from a queue", postgres.SkipLockedTraits(), nil,
			func(c postgres.Config) locks.Locker { return postgres.NewSkipLocked(c) }).keepingRows().on("postgres", "pgbouncer", "pgbouncer-session"),
		"pgbouncer-advisory": onPostgres("pg_advisory_lock through PgBouncer in transaction mode: broken", postgres.AdvisoryTraits(), nil,
			func(c postgres.Config) locks.Locker { return postgres.NewAdvisory(c) }).on("pgbouncer"),
		"pgbouncer-session": onPostgres("pg_advisory_lock through PgBouncer in session mode", postgres.AdvisoryTraits(), probePostgres,
			func(c postgres.Config) locks.Locker { return postgres.NewAdvisory(c) }).on("pgbouncer-session"),
		"pgbouncer-xact": onPostgres("pg_advisory_xact_lock in an open transaction, through PgBouncer in transaction mode", postgres.XactTraits(), probePostgres,
			func(c postgres.Config) locks.Locker { return postgres.NewXact(c) }).on("pgbouncer", "pgbouncer-session", "postgres"),
		"memcached": {
			About: "ADD with expiry; release by GETS and CAS", Topology: "memcached", Traits: memcached.Traits(), Retry: 10 * time.Millisecond,
			ProbeWith: func(c *cluster.Cluster, a Args) (locks.Prober, error) {
				return memcached.NewProbeWith(memcached.Config{Addr: c.Nodes[0].Addr(), Access: a.Access}, c.Nodes[0].Name()), nil
			},
			Open: func(_ context.Context, a Args) (locks.Locker, error) {
				return memcached.New(memcached.Config{Addr: a.Endpoints[0], TTL: a.TTL, Owner: a.Owner, Access: a.Access, Clock: a.Clock}), nil
			},
		},
	}
}

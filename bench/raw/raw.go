// Package raw is the bare commands that a lock cannot do without, over a bare
// client library: what the same server could do if the lock cost nothing of its own. Each kind
// looks like a lock to the benchmark and is none: it does not wait, renew, count a
// validity or find out what became of a request without an answer.
package raw

import (
	"context"
	"errors"
	"time"

	"locktorture/locks"
	"locktorture/locks/redis"
)

// A Config says where the servers are.
type Config struct {
	Endpoints []string
	TTL       time.Duration
}

// A Kind is one pair of bare commands.
type Kind struct {
	Commands string // what is sent to take and to free, as a user would write it
	Open     func(ctx context.Context, cfg Config) (locks.Locker, error)
}

// Kinds returns all kinds by name.
func Kinds() map[string]Kind {
	return map[string]Kind{
		"redis":            {"SET NX PX + EVALSHA (compare, DEL)", openRedis(setNXPX, evalDelete)},
		"redis-del":        {"SET NX PX + DEL", openRedis(setNXPX, plainDelete)},
		"redis-setnx":      {"SETNX + DEL", openRedis(setNX, plainDelete)},
		"redis-all":        {"SET NX PX + EVALSHA on all nodes at once", openRedisAll},
		"redis-cluster":    {"SET NX PX + EVALSHA through a cluster client", openRedisCluster},
		"redis-sentinel":   {"SET NX PX + EVALSHA through a fail-over client", openRedisSentinel},
		"redis-reader":     {"EVALSHA + EVALSHA, the scripts of redis-rw for a reader", openRedis(scripted(redis.BareReader()))},
		"redis-writer":     {"EVALSHA + EVALSHA, the scripts of redis-rw for a writer", openRedis(scripted(redis.BareWriter()))},
		"redis-semaphore":  {"EVALSHA (GET, compare, DECRBY) + MULTI, INCRBY, PUBLISH, EXEC", openRedis(scripted(redis.BareSemaphore()))},
		"redis-permits":    {"EVALSHA + EVALSHA, the scripts of redis-permits", openRedis(scripted(redis.BarePermits()))},
		"redis-latch":      {"SET + DECR, DEL", openRedis(setCount, countDown)},
		"etcd":             {"Txn (create revision = 0, Put, no lease) + Delete", openEtcd},
		"etcd-reader":      {"Txn (Put of its own, Get of the writers) + Delete", openEtcdBelow(readerOf)},
		"etcd-party":       {"Put of its own, Get of all, Put (ready) + Delete, Delete", openEtcdBelow(partyOf)},
		"etcd-gate":        {"Put + Delete, Get", openEtcdGate},
		"zookeeper":        {"create (ephemeral, sequential) + delete", openZooKeeper},
		"consul":           {"PUT ?acquire + PUT ?release, in one session", openConsul},
		"consul-cas":       {"GET, PUT ?cas + GET, PUT ?cas of one key", openConsulCAS},
		"s3":               {"PUT If-None-Match + DELETE", openS3},
		"memcached":        {"add + delete", openMemcached},
		"mysql":            {"INSERT + DELETE under a primary key", openMySQL(insert)},
		"mysql-all":        {"INSERT + DELETE on all nodes at once", openMySQLAll},
		"mysql-for-update": {"BEGIN, SELECT FOR UPDATE + COMMIT, on an open connection", openMySQL(forUpdate)},
		"mysql-share":      {"BEGIN, SELECT LOCK IN SHARE MODE + COMMIT, on an open connection", openMySQL(inShareMode)},
		"mysql-get-lock":   {"SELECT GET_LOCK + SELECT RELEASE_LOCK, on an open connection", openMySQL(getLock)},
		"mysql-update":     {"UPDATE + UPDATE of a row that is there", openMySQL(update)},
		"redis-mysql":      {"SET NX PX, INSERT + DELETE, EVALSHA", openRedisMySQL},
		"postgres":         {"pg_advisory_lock + pg_advisory_unlock, on an open connection", openPostgres("pg_advisory_lock", "pg_advisory_unlock")},
		"postgres-shared":  {"pg_advisory_lock_shared + pg_advisory_unlock_shared, on an open connection", openPostgres("pg_advisory_lock_shared", "pg_advisory_unlock_shared")},
	}
}

// errTaken: the benchmark gives every client names of its own.
var errTaken = errors.New("the key is there already")

// A pair is a Locker made of functions.
type pair struct {
	take  func(ctx context.Context, name string) (free func(context.Context) error, err error)
	close func() error
}

var _ locks.Locker = pair{}

// Acquire sends the command that takes, once.
func (p pair) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	free, err := p.take(ctx, name)
	if err != nil {
		return nil, err
	}
	return lease(free), nil
}

// Close drops the connections.
func (p pair) Close() error { return p.close() }

// A lease is what frees again.
type lease func(context.Context) error

// Release sends the command that frees.
func (l lease) Release(ctx context.Context) error { return l(ctx) }

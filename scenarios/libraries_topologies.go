package scenarios

// The findings about a pooler, and about locks of other languages.

func foundTransactionPool() *Finding {
	return &Finding{Library: "pgbouncer", Version: "1.18.0",
		Failure:    "in transaction mode a lock of a session is granted to the next client on the same server connection",
		Documented: "its feature table, since an issue of 2021", Link: "https://github.com/pgbouncer/pgbouncer/issues/617"}
}

func foundLeftInThePool() *Finding {
	return &Finding{Library: "pgbouncer", Version: "1.18.0",
		Failure:    "in transaction mode the lock of a client that was killed stays with the pooled connection: deadlock",
		Documented: "an issue that was closed: it is server_reset_query_always that would help", Link: "https://github.com/pgbouncer/pgbouncer/issues/102"}
}

func foundKeptConnection() *Finding {
	return &Finding{Library: "postgresql", Version: "15.18",
		Failure:    "pg_try_advisory_lock that was granted after its client had given up is held for as long as the connection is kept: deadlock",
		Documented: "an issue in GreptimeDB, closed", Link: "https://github.com/GreptimeTeam/greptimedb/issues/7670"}
}

func foundRedisPyRelease() *Finding {
	return &Finding{Library: "redis-py", Version: "4.3.4",
		Failure:    "after a release that was cut off the next says that the lock is unlocked and asks nobody; the key stays",
		Documented: "a pull request, merged in August 2026", Link: "https://github.com/redis/redis-py/pull/4258"}
}

func foundToozRelease() *Finding {
	return &Finding{Library: "tooz", Version: "3.1.0",
		Failure:    "on memcached release gets and then deletes: what it deletes can be the lock of the next holder",
		Documented: "a comment in its source, which says that memcached can do no better; CAS with an expiry in the past can",
		Link:       "https://github.com/openstack/tooz/blob/3.1.0/tooz/drivers/memcached.py"}
}

func foundNodeRedlockExpired() *Finding {
	return &Finding{Library: "redlock (npm)", Version: "5.0.0-beta.2",
		Failure:    "acquire returns a lock that has expired, beside the next holder",
		Documented: "an open issue, and an open pull request of 2026", Link: "https://github.com/mike-marcacci/node-redlock/issues/296"}
}

func foundStaleUnlock() *Finding {
	return &Finding{Library: etcdModule, Version: "v3.7.3",
		Failure:    "an Unlock that is asked for again deletes the key of the session's next lock: two holders",
		Documented: "an open issue of July 2026", Link: "https://github.com/etcd-io/etcd/issues/22082"}
}

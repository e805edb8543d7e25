package matrix

import "locktorture/report/scorecard"

// usualClaims returns what tables that compare distributed locks usually say. They are not
// ours: they stand next to what was measured.
func usualClaims() []scorecard.Claim {
	return []scorecard.Claim{
		{Family: "Redis", Aspect: "consistency", Says: "weak: asynchronous replication, AP; a fail-over can lose the lock"},
		{Family: "Redis", Aspect: "performance", Says: "the highest: in memory, one round trip"},
		{Family: "Redis", Aspect: "reliability", Says: "good with Sentinel or Cluster; a watchdog renews the lease"},
		{Family: "Redis", Aspect: "automatic expiry", Says: "yes, by the TTL of the key"},
		{Family: "Redlock", Aspect: "consistency", Says: "better than one Redis: a majority of independent nodes"},
		{Family: "Redlock", Aspect: "performance", Says: "high, below one Redis"},
		{Family: "Redlock", Aspect: "reliability", Says: "high: survives the loss of a minority of nodes"},
		{Family: "Redlock", Aspect: "automatic expiry", Says: "yes, by TTL"},
		{Family: "etcd", Aspect: "consistency", Says: "strong: Raft, linearizable, CP"},
		{Family: "etcd", Aspect: "performance", Says: "medium: a disk write on a quorum"},
		{Family: "etcd", Aspect: "reliability", Says: "high while a quorum lives"},
		{Family: "etcd", Aspect: "automatic expiry", Says: "yes, by leases that are kept alive"},
		{Family: "ZooKeeper", Aspect: "consistency", Says: "strong: ZAB, CP"},
		{Family: "ZooKeeper", Aspect: "performance", Says: "medium to low: znodes made and deleted on a quorum"},
		{Family: "ZooKeeper", Aspect: "reliability", Says: "high: ephemeral nodes, no herd, fair queue"},
		{Family: "ZooKeeper", Aspect: "automatic expiry", Says: "yes: ephemeral nodes go with their session"},
		{Family: "Consul", Aspect: "consistency", Says: "strong: Raft, CP"},
		{Family: "Consul", Aspect: "performance", Says: "medium"},
		{Family: "Consul", Aspect: "reliability", Says: "high; lock-delay guards against late holders"},
		{Family: "Consul", Aspect: "automatic expiry", Says: "yes, by the session's TTL"},
		{Family: "database", Aspect: "consistency", Says: "strong: transactions, a unique key"},
		{Family: "database", Aspect: "performance", Says: "the lowest: disk, connections, row locks"},
		{Family: "database", Aspect: "reliability", Says: "depends on one primary"},
		{Family: "database", Aspect: "automatic expiry", Says: "no: an expiry must be built"},
		{Family: "memcached", Aspect: "consistency", Says: "weak: one node, keys can be evicted"},
		{Family: "memcached", Aspect: "performance", Says: "very high"},
		{Family: "memcached", Aspect: "reliability", Says: "low: nothing survives a restart"},
		{Family: "memcached", Aspect: "automatic expiry", Says: "yes, in whole seconds"},
	}
}

//go:build !wasip1 && !simulated

package scenarios

import "time"

// electedTTL is longer than the detection of a dead primary and the election of another.
const electedTTL = 30 * time.Second

// SentinelFailover returns the scenario of a fail-over that sentinels decide.
func SentinelFailover() Scenario {
	return Scenario{
		Title:  "the sentinels promote a replica that has not heard of the lock",
		Source: "the Redis manual, \"High availability with Redis Sentinel\": acknowledged writes can be lost, because replication is asynchronous",
		Shows:  "An election makes the service available again; it brings no lock back. The window is the time from the kill to the promotion.",
		Story: "The replicas are cut off from the primary, not from the sentinels. Client 1 takes the lock on the primary, which is then killed. Client 2 asks all the time. " +
			"The sentinels notice, elect one of them, and that promotes a replica: client 2 is granted the lock while client 1's is valid.",
		Lesson: "Sentinel is for caches. A lock on it holds as long as no primary dies.",
		Cases: []Case{
			{Backend: "redis-sentinel", Variant: "replicas cut off", Expect: "unsafe+double-grant"},
			{Backend: "redis-sentinel", Variant: inSync, Expect: "safe", Facts: []string{"client 2 was refused"}},
		},
		TTL:  electedTTL,
		Play: func(s *Stage) { failOver(s, (*Replicas).Failover) },
	}
}

// ClusterFailover returns the scenario of a fail-over of one shard of a Redis Cluster.
func ClusterFailover() Scenario {
	return Scenario{
		Title:  "a replica of a Redis Cluster takes over that has not heard of the lock",
		Source: "the Redis Cluster specification, \"Write safety\" and \"CLUSTER FAILOVER TAKEOVER\"",
		Shows:  "That the primaries vote changes nothing: they vote on who leads a shard, not on what it knows. By order of an operator it goes without a vote, and at once.",
		Story: "The replica of the lock's shard is cut off from its primary, not from the bus. Client 1 takes the lock on the primary, which is then killed. Client 2 asks all the time. " +
			"The replica takes over, elected by the other primaries or by CLUSTER FAILOVER TAKEOVER: client 2 is granted the lock while client 1's is valid.",
		Lesson: "A Redis Cluster is several primaries with asynchronous replicas, and a lock lives on one of them.",
		Cases: []Case{
			{Backend: "redis-cluster", Variant: takeover, Expect: "unsafe+double-grant"},
			{Backend: "redis-cluster", Variant: "replicas cut off, election", Expect: "unsafe+double-grant"},
			{Backend: "redis-cluster", Variant: inSync, Expect: "safe", Facts: []string{"client 2 was refused"}},
		},
		TTL: electedTTL,
		Play: func(s *Stage) {
			strike := (*Replicas).FailoverByElection
			if s.Case.Variant == takeover {
				strike = (*Replicas).Failover
			}
			failOver(s, strike)
		},
	}
}

// takeover is the variant without an election.
const takeover = "replicas cut off, TAKEOVER"

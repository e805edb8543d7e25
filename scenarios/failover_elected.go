//go:build !wasip1 && !simulated

package scenarios

import "time"

// electedTTL is longer than the detection of a dead primary and the election of another.
const electedTTL = 30 * time.Second

// SentinelFailover returns the scenario of a fail-over that sentinels decide.
func SentinelFailover() Scenario {
	return Scenario{
		Title:  "the sentinels promote a replica that has not received the lock",
		Source: "the Redis manual, \"High availability with Redis Sentinel\"",
		Shows:  "An election restores the service, not its locks.",
		Story: "The replicas are cut off from the primary, not from the sentinels. Client 1 takes the lock on the primary, which is then killed. The " +
			"sentinels promote a replica, and client 2 is granted the lock while client 1's is valid.",
		Lesson: "A lock on Sentinel holds as long as no primary dies.",
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
		Title:  "a replica of a Redis Cluster takes over without having received the lock",
		Source: "the Redis Cluster specification, \"Write safety\"",
		Shows:  "The primaries vote on who leads a shard, not on what it knows.",
		Story: "The replica of the lock's shard is cut off from its primary, not from the bus. Client 1 takes the lock on the primary, which is then " +
			"killed. The replica takes over, by election or by TAKEOVER, and client 2 is granted the lock while client 1's is valid.",
		Lesson: "In a Redis Cluster a lock lives on one primary with asynchronous replicas.",
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

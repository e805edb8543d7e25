package scenarios

import "locktorture/nemesis"

// ofDrivers returns the cases of locks of other languages, by scenario. They are backends if their
// runtimes are installed.
func ofDrivers() map[string][]Case {
	granted := []string{"client 2 was granted the lock"}
	refused := []string{"client 2 was refused"}
	ttl := map[string]string{"validity": "ttl"}
	suspended := map[string]string{"suspended": "lost"}
	stopped := []Case{
		// It reports neither an end nor a loss: its promise lasts until the release.
		{Backend: "redis-py", Expect: "unsafe+double-grant+lost-update"},
		{Backend: "redis-py", Variant: "validity declared", Options: ttl, Expect: "unsafe+overrun+lost-update"},
		{Backend: "node-redlock", Expect: "unsafe+overrun+lost-update"},
		{Backend: "kazoo", Expect: "unsafe+lost-update", Either: noticed()},
		{Backend: "curator", Expect: "unsafe+lost-update", Either: noticed()},
	}
	var leaders []Case
	for _, backend := range []string{"kazoo", "curator"} {
		for _, mode := range []string{nemesis.LeaderKill, nemesis.LeaderStop, nemesis.LeaderCut} {
			leaders = append(leaders, Case{Backend: backend, Variant: mode, Expect: "safe", Facts: granted})
		}
	}
	return map[string][]Case{
		"gc-pause":             stopped,
		"gc-pause-after-check": stopped[1:],
		"crash-holder": {
			{Backend: "redis-py", Expect: "safe", Facts: granted},
			{Backend: "node-redlock", Expect: "safe", Facts: granted},
			{Backend: "kazoo", Expect: "safe", Facts: granted},
			{Backend: "curator", Expect: "safe", Facts: granted},
		},
		// node-redlock is missing: its clean-up follows the request on the same connection.
		"delayed-acquire": {
			{Backend: "redis-py", Expect: "safe+orphan", Facts: refused},
		},
		"release-again": {
			{
				Backend: "redis-py", Expect: "safe", Found: foundRedisPyRelease(),
				Facts: []string{"the second release was answered with not held", "the server still kept the lock for client 1"},
			},
		},
		"stopped-release": {
			{Backend: "tooz-memcached", Expect: "unsafe+double-grant", Found: foundToozRelease()},
		},
		"pause-before-replies": {
			{Backend: "node-redlock", Options: slow(), Expect: "safe", Facts: []string{grantedExpired}, Found: foundNodeRedlockExpired()},
		},
		"clock-jump": {
			{Backend: "node-redlock", Variant: "a jump of a TTL and a second", Expect: "unsafe+double-grant"},
			{Backend: "node-redlock", Variant: "a jump of 10 ms", Expect: "safe", Facts: refused},
		},
		"failover": {
			{Backend: "redis-py", Replicated: true, Variant: "replicas cut off", Expect: "unsafe+double-grant"},
			{Backend: "redis-py", Replicated: true, Variant: "replicas in sync", Expect: "safe", Facts: refused},
		},
		"restart-without-persistence": {
			{Backend: "node-redlock", Expect: "unsafe+double-grant"},
		},
		"leader-kill": leaders,
		"dead-waiter": {
			{Backend: "kazoo", Expect: "safe", Facts: []string{"client 3 waited on"}},
			{Backend: "curator", Expect: "safe", Facts: []string{"client 3 waited on"}},
		},
		"expired-waiter": {
			{Backend: "kazoo", Expect: "safe", Facts: []string{"client 2 was not granted the lock beside client 3"}},
			{Backend: "curator", Expect: "safe", Facts: []string{"client 2 was not granted the lock beside client 3"}},
		},
		"silent-link": {
			{Backend: "kazoo", Variant: "a loss is LOST", Expect: "unsafe+late-notice"},
			{Backend: "kazoo", Variant: "a loss is SUSPENDED", Options: suspended, Expect: "safe"},
			{Backend: "curator", Variant: "a loss is LOST", Expect: "unsafe+late-notice"},
			{Backend: "curator", Variant: "a loss is SUSPENDED", Options: suspended, Expect: "safe"},
		},
	}
}

// OfDrivers returns the cases of a scenario that are locks of other languages.
func OfDrivers(scenario string) []Case { return ofDrivers()[scenario] }

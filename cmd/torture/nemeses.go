package main

import "locktorture/nemesis"

// nemeses is the registry of faults.
func nemeses() map[string]nemesis.Nemesis {
	return map[string]nemesis.Nemesis{
		"latency":      nemesis.Latency{},
		"partition":    nemesis.Partition{},
		"hold":         nemesis.Hold{},
		"pause":        nemesis.Pause{},
		"clock":        nemesis.Clock{},
		"client-clock": nemesis.ClientClock{},
		"kill-client":  nemesis.KillClient{},
		"restart":      nemesis.Restart{},
		"failover":     nemesis.Failover{},
		"leader":       nemesis.Leader{},
	}
}

// needsProcess names the faults that need clients with processes of their own.
var needsProcess = map[string]bool{"pause": true, "kill-client": true, "client-clock": true}

// hostTime names the locks that ask the host for the time, which no fault of a client moves:
// libraries as they are, here and in other languages.
var hostTime = map[string]bool{
	"redsync": true, "redislock": true, "rueidislock": true, "etcd-concurrency": true, "gozk": true, "consul-api": true,
	"redis-py": true, "node-redlock": true, "naive-node": true, "kazoo": true, "curator": true,
}

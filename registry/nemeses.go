package registry

import "locktorture/nemesis"

// Nemeses are the faults by name.
func Nemeses() map[string]nemesis.Nemesis {
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

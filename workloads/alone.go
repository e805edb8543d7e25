package workloads

// Alone returns, by name, the workloads whose sections hold a lock alone and need only a store in
// memory. Virtual time supports all of them.
func Alone() map[string]func(Config) Workload {
	return map[string]func(Config) Workload{
		"cache-rebuild":     func(c Config) Workload { return CacheRebuild{Config: c} },
		"config-rollout":    func(c Config) Workload { return ConfigRollout{Config: c} },
		"counter":           func(c Config) Workload { return Counter{Config: c} },
		"id-allocation":     func(c Config) Workload { return IDAllocation{Config: c} },
		"idempotent-submit": func(c Config) Workload { return IdempotentSubmit{Config: c} },
		"leader":            func(c Config) Workload { return Leader{Config: c} },
		"queue-consumer":    func(c Config) Workload { return QueueConsumer{Config: c} },
		"reentry":           func(c Config) Workload { return Reentry{Config: c} },
		"register":          func(c Config) Workload { return Register{Config: c} },
		"scheduler":         func(c Config) Workload { return Scheduler{Config: c} },
		"seckill":           func(c Config) Workload { return Seckill{Config: c} },
		"session":           func(c Config) Workload { return Session{Config: c} },
		"statemachine":      func(c Config) Workload { return StateMachine{Config: c} },
		"transfer":          func(c Config) Workload { return Transfer{Config: c} },
	}
}

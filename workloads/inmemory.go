package workloads

// InMemory returns, by name, the workloads that need only a store in memory. Virtual time supports
// all of them.
func InMemory() map[string]func(Config) Workload {
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

		// of locks that several clients can hold
		"controller": func(c Config) Workload { return Controller{Config: c} },
		"document":   func(c Config) Workload { return Document{Config: c} },
		"fan-in":     func(c Config) Workload { return NewFanIn(c) },
		"phases":     func(c Config) Workload { return NewPhases(c) },
		"pool":       func(c Config) Workload { return Pool{Config: c} },
		"rate":       func(c Config) Workload { return Rate{Config: c} },
		"start-gate": func(c Config) Workload { return NewStartGate(c) },
	}
}

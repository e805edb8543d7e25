package inside

import "locktorture/workloads"

// Workloads are those that can be simulated: sections that hold a lock alone, on a store in
// memory.
func Workloads() map[string]func(workloads.Config) workloads.Workload {
	return map[string]func(workloads.Config) workloads.Workload{
		"cache-rebuild":     func(c workloads.Config) workloads.Workload { return workloads.CacheRebuild{Config: c} },
		"config-rollout":    func(c workloads.Config) workloads.Workload { return workloads.ConfigRollout{Config: c} },
		"counter":           func(c workloads.Config) workloads.Workload { return workloads.Counter{Config: c} },
		"id-allocation":     func(c workloads.Config) workloads.Workload { return workloads.IDAllocation{Config: c} },
		"idempotent-submit": func(c workloads.Config) workloads.Workload { return workloads.IdempotentSubmit{Config: c} },
		"leader":            func(c workloads.Config) workloads.Workload { return workloads.Leader{Config: c} },
		"queue-consumer":    func(c workloads.Config) workloads.Workload { return workloads.QueueConsumer{Config: c} },
		"reentry":           func(c workloads.Config) workloads.Workload { return workloads.Reentry{Config: c} },
		"register":          func(c workloads.Config) workloads.Workload { return workloads.Register{Config: c} },
		"scheduler":         func(c workloads.Config) workloads.Workload { return workloads.Scheduler{Config: c} },
		"seckill":           func(c workloads.Config) workloads.Workload { return workloads.Seckill{Config: c} },
		"session":           func(c workloads.Config) workloads.Workload { return workloads.Session{Config: c} },
		"statemachine":      func(c workloads.Config) workloads.Workload { return workloads.StateMachine{Config: c} },
		"transfer":          func(c workloads.Config) workloads.Workload { return workloads.Transfer{Config: c} },
	}
}

package incident

// The names of the properties (Property.Name), in the order of a result.
const (
	Exclusion       = "exclusion"
	Fencing         = "fencing"
	Ownership       = "ownership"
	Liveness        = "liveness"
	Linearizability = "linearizability"
	Workload        = "workload"
)

// Overrun is the one anomaly of exclusion for which the holder is to blame, and not the lock.
const Overrun = "overrun"

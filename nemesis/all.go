package nemesis

import (
	"maps"
	"slices"
)

// All returns the faults of this package with their defaults, and parts of them.
func All() Kinds {
	return Named(
		ClientClock{},
		Clock{},
		Failover{},
		Hold{},
		KillClient{},
		Latency{},
		Leader{},
		Partition{},
		Pause{},
		Restart{},
		Restart{Data: Kept},
		Restart{Data: Lost},
	)
}

// Whole returns the names of the faults that are no part of another, in order.
func Whole(kinds Kinds) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(kinds)), func(name string) bool { return kinds[name].Traits().PartOf != "" })
}

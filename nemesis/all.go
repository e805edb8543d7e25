package nemesis

import (
	"maps"
	"slices"
)

// All returns the faults of this package with their default settings. Among them are faults
// that are part of another one, such as restart-kept (Traits.PartOf).
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

// Whole returns the names of the faults that are not part of another one, in alphabetical
// order.
func Whole(kinds Kinds) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(kinds)), func(name string) bool { return kinds[name].Traits().PartOf != "" })
}

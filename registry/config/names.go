package config

import (
	"maps"
	"slices"
	"strings"

	"locktorture/internal/suggest"
	"locktorture/registry"
)

// Names returns the names that the values of a setting may contain, in order; nil if the
// values contain no names or are checked in another way. The name All stands for all of them.
func Names(key string) []string {
	switch key {
	case "workload":
		return append(slices.Sorted(maps.Keys(registry.Workloads())), All)
	case "nemesis":
		return append(slices.Sorted(maps.Keys(registry.Nemeses())), All, "none")
	case "store":
		return slices.Sorted(maps.Keys(registry.Stores()))
	case "cluster":
		return registry.Clusters()
	case "fencing":
		return []string{"off", "on", "both"}
	}
	return nil
}

// All stands for every workload, and for every fault that is possible.
const All = "all"

// checkNames checks the names in the value of a setting. It does not check backends, because
// drivers are backends too, and are known only once all files are read (see CheckBackend).
func checkNames(key, value string) error {
	switch key {
	case "topology":
		return registry.KnownTopology(value)
	case "expect":
		_, err := registry.ParseExpectation(value)
		return err
	}
	known := Names(key)
	if known == nil {
		return nil
	}
	for _, v := range strings.Split(value, ",") {
		if err := suggest.Among(v, known); err != nil {
			return err
		}
	}
	return nil
}

package config

import (
	"maps"
	"slices"
	"strings"

	"locktorture/internal/suggest"
	"locktorture/registry"
)

// Names returns what the values of a setting may name, in order; nil if it names nothing, or
// something of which there is more than a list. All stands for all of them.
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

// checkNames checks a setting whose values name something, but for backends: drivers are such,
// so that they are checked when all files were read.
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

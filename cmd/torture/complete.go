package main

import (
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"locktorture/registry"
)

// completions lets the shell complete the names that flags take.
func completions(cmd *cobra.Command) {
	fixed := map[string][]string{
		"backend":  slices.Sorted(maps.Keys(backends())),
		"workload": append(slices.Sorted(maps.Keys(registry.Workloads())), allWorkloads),
		"store":    slices.Sorted(maps.Keys(registry.Stores())),
		"nemesis":  append(slices.Sorted(maps.Keys(registry.Nemeses())), "all", "none"),
		"cluster":  registry.Clusters(),
		"fencing":  {"off", "on", "both"},
		"expect":   {"safe", "fenced", "unsafe"},
	}
	for one, many := range map[string]string{"backend": "backends", "workload": "workloads", "nemesis": "nemeses"} {
		fixed[many] = fixed[one]
		if !slices.Contains(fixed[one], "all") {
			fixed[many] = append([]string{"all"}, fixed[one]...)
		}
	}
	for name, values := range fixed {
		if cmd.Flags().Lookup(name) == nil {
			continue
		}
		// The only error is a flag that does not exist.
		_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	}
}

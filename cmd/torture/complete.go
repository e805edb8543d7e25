package main

import (
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"locktorture/registry"
	"locktorture/registry/config"
)

// completions lets the shell complete the names that flags take.
func completions(cmd *cobra.Command, locks map[string]registry.Backend) {
	fixed := map[string][]string{
		"backend": slices.Sorted(maps.Keys(locks)), "expect": {"safe", "fenced", "unsafe"},
	}
	for _, name := range []string{"workload", "store", "nemesis", "cluster", "fencing"} {
		fixed[name] = config.Names(name)
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

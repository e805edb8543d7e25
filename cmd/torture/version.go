package main

import (
	"fmt"
	"maps"
	"runtime"
	"runtime/debug"
	"slices"

	"github.com/spf13/cobra"
)

// commit is the git commit of the build, set by the linker.
var commit = "unknown"

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "print the version",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "torture %s %s %s/%s\n", commit, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}

// moduleVersions returns the versions of the client libraries in this binary.
func moduleVersions() map[string]string {
	versions := map[string]string{"go": runtime.Version(), "torture": commit}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return versions
	}
	wanted := map[string]bool{"github.com/Shopify/toxiproxy/v2": true, "github.com/anishathalye/porcupine": true}
	for _, m := range slices.Concat(slices.Collect(maps.Values(serverModules)), slices.Concat(slices.Collect(maps.Values(lockModules))...)) {
		wanted[m] = true
	}
	for _, m := range info.Deps {
		if wanted[m.Path] {
			versions[m.Path] = m.Version
		}
	}
	return versions
}

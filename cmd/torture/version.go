package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

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
	for _, libraries := range []map[string]string{serverModules, lockModules} {
		for _, m := range libraries {
			wanted[m] = true
		}
	}
	for _, m := range info.Deps {
		if wanted[m.Path] {
			versions[m.Path] = m.Version
		}
	}
	return versions
}

package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"locktorture/registry"
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

// moduleVersions returns the versions of this program and of the client libraries in it.
func moduleVersions() map[string]string {
	versions := registry.Versions()
	versions["torture"] = commit
	return versions
}

package main

import (
	"fmt"
	"maps"
	"runtime"
	"slices"

	"github.com/spf13/cobra"

	"locktorture/internal/cli"
	"locktorture/registry"
	"locktorture/report"
)

// commit is the git commit of the build, set by the linker.
var commit = "unknown"

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "print the version",
		Args:  cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "torture %s %s %s/%s\n", commit, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}

// libraryVersions are those of this program and of the client libraries in it, by name.
func libraryVersions() []report.Version {
	versions := registry.Versions()
	versions["torture"] = commit
	var list []report.Version
	for _, name := range slices.Sorted(maps.Keys(versions)) {
		list = append(list, report.Version{Name: name, Version: versions[name]})
	}
	return list
}

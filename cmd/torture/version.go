package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"locktorture/internal/cli"
)

// commit is the git commit of the build, set by the linker.
var commit = "unknown"

// versionLine says what this program was built of.
func versionLine() string {
	built := commit
	if info, ok := debug.ReadBuildInfo(); ok && built == "unknown" { // built without make
		built = cmp.Or(setting(info, "vcs.revision"), info.Main.Version)
	}
	return fmt.Sprintf("torture %s %s %s/%s\n", built, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// setting is one of those that the Go command notes in a program.
func setting(info *debug.BuildInfo, key string) string {
	for _, s := range info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "print the version",
		Args:  cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprint(cmd.OutOrStdout(), versionLine())
			return err
		},
	}
}

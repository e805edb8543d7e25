package main

import (
	"slices"

	"locktorture/runs"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// settings are what a file and the environment set for a command: for torture run all its
// flags, for every other those that say where servers come from.
func settings(cmd *cobra.Command) []string {
	if takesAll(cmd) {
		return runs.Names(runs.Flags())
	}
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	new(runs.ServerSpec).Register(f)
	new(runs.AccessSpec).Register(f)
	return runs.Names(f)
}

// takesAll reports whether a command is torture run, or shows what that would take.
func takesAll(cmd *cobra.Command) bool {
	return slices.Contains([]string{"torture run", "torture config show"}, cmd.CommandPath())
}

// configure gives a command's flags what the environment and the file of the working directory
// say, unless they were given already.
func (e environment) configure(cmd *cobra.Command) error {
	if without, err := cmd.Flags().GetBool(runs.NoConfig); err == nil && without {
		return nil
	}
	own := e.files.Own
	if err := own.CheckBackend(e.locks); err != nil {
		return wrongConfig(err)
	}
	return own.Fill(cmd.Flags(), settings(cmd))
}

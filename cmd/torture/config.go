package main

import (
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// noConfig is the flag of every command that leaves out what the file and the environment set.
const noConfig = "no-config"

// namesOf are the names of flags, in order.
func namesOf(f *pflag.FlagSet) (names []string) {
	f.VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return names
}

// settings are what a file and the environment set for a command: for torture run all its
// flags, for every other those that say where servers come from.
func settings(cmd *cobra.Command) []string {
	if takesAll(cmd) {
		return namesOf(runFlags())
	}
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	new(serverSpec).register(f)
	new(accessSpec).register(f)
	return namesOf(f)
}

// takesAll reports whether a command is torture run, or shows what that would take.
func takesAll(cmd *cobra.Command) bool {
	return slices.Contains([]string{"torture run", "torture config show"}, cmd.CommandPath())
}

// configure gives a command's flags what the environment and the file of the working directory
// say, unless they were given already.
func (e environment) configure(cmd *cobra.Command) error {
	if without, err := cmd.Flags().GetBool(noConfig); err == nil && without {
		return nil
	}
	own := e.files.Own
	if err := own.CheckBackend(e.locks); err != nil {
		return wrongConfig(err)
	}
	return own.Fill(cmd.Flags(), settings(cmd))
}

package main

import (
	"errors"
	"os"

	"github.com/spf13/cobra"

	"locktorture/internal/exit"
	"locktorture/registry"
	"locktorture/registry/config"
	"locktorture/runs"
)

// An environment is what a command finds outside of its command line. It is read once, when
// the program starts.
type environment struct {
	files config.Files
	wrong error                       // with the files; commands that take no settings can do without them
	locks map[string]registry.Backend // of this repository and of the files
}

// readEnvironment reads what there is.
func readEnvironment() environment {
	files, err := config.ReadFiles(runs.Keys())
	return environment{files: files, wrong: err, locks: files.Backends()}
}

// prepare gives a command what is set for it outside of the command line.
func (e environment) prepare(cmd *cobra.Command, args []string) error {
	if e.wrong != nil {
		return wrongConfig(e.wrong)
	}
	err := errors.Join(e.configure(cmd), e.refuseAbsent(cmd, args))
	_ = os.Unsetenv(config.Variable("endpoints")) // they may have a login, which nobody is to inherit
	return err
}

// refuseAbsent refuses a driver that cannot be run here, and says what is missing. args are the
// arguments of the command.
func (e environment) refuseAbsent(cmd *cobra.Command, args []string) error {
	absent := e.files.Absent()
	refuse := func(what string, names ...string) error {
		for _, name := range names {
			if row, ok := absent[name]; ok {
				return exit.Usage("%s%s: missing: %s", what, row.Name, row.Missing)
			}
		}
		return nil
	}
	if p := cmd.Parent(); p != nil && p.Name() == "driver" || cmd.Name() == "explore" {
		return refuse("", args...)
	}
	if f := cmd.Flags().Lookup("backend"); f != nil {
		return refuse("--backend ", f.Value.String())
	}
	if names, err := cmd.Flags().GetStringSlice("backends"); err == nil {
		return refuse("--backends ", names...)
	}
	return nil
}

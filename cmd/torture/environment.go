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
func (e environment) prepare(cmd *cobra.Command, _ []string) error {
	if e.wrong != nil {
		return wrongConfig(e.wrong)
	}
	err := errors.Join(e.configure(cmd), e.refuseAbsent(cmd))
	_ = os.Unsetenv(config.Variable("endpoints")) // they may have a login, which nobody is to inherit
	return err
}

// refuseAbsent refuses a driver that cannot be run here, and says what is missing.
func (e environment) refuseAbsent(cmd *cobra.Command) error {
	f := cmd.Flags().Lookup("backend")
	if f == nil {
		return nil
	}
	if row, ok := e.files.Absent()[f.Value.String()]; ok {
		return exit.Usage("--backend %s: missing: %s", row.Name, row.Missing)
	}
	return nil
}

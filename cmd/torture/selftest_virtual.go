package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"locktorture/internal/exit"
)

// A virtualSpec says whether a table is played in virtual time.
type virtualSpec struct {
	On     bool
	Trials int // of a search
}

func (v *virtualSpec) register(f *pflag.FlagSet) {
	f.BoolVar(&v.On, "virtual", false, "search in virtual time, like torture explore, which takes seconds instead of minutes")
}

// check refuses what only runs on real servers have.
func (v virtualSpec) check(cmd *cobra.Command) error {
	for _, name := range []string{"cluster", "image", "duration"} {
		if f := cmd.Flags().Lookup(name); f != nil && f.Changed {
			return exit.Usage("--%s: not with --virtual, because the simulator chooses the servers and the length of a trial", name)
		}
	}
	if cmd.Flags().Lookup("trials") != nil && v.Trials < 1 {
		return exit.Usage("--trials: at least one is needed")
	}
	return nil
}

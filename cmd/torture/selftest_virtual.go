package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A virtualSpec says whether a table is played in virtual time.
type virtualSpec struct {
	On     bool
	Trials int // of a search
}

func (v *virtualSpec) register(f *pflag.FlagSet) {
	f.BoolVar(&v.On, "virtual", false, "in virtual time, by searches as of torture explore: seconds instead of minutes")
}

// check refuses what only runs on real servers have; wrong is what is wrong already.
func (v virtualSpec) check(cmd *cobra.Command, wrong error) error {
	for _, name := range []string{"cluster", "image", "duration"} {
		if f := cmd.Flags().Lookup(name); f != nil && f.Changed {
			return fmt.Errorf("--%s does not go with --virtual: the servers and the length of a trial are the simulator's to say", name)
		}
	}
	if cmd.Flags().Lookup("trials") != nil && v.Trials < 1 {
		return errors.New("--trials: at least one is needed")
	}
	return wrong
}

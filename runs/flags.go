package runs

import (
	"errors"
	"strings"

	"github.com/spf13/pflag"

	"locktorture/internal/cli"
	"locktorture/registry/config"
)

// Flags are the flags of torture run, without a command.
func Flags() *pflag.FlagSet {
	var s Spec
	f := pflag.NewFlagSet("run", pflag.ContinueOnError)
	s.Register(f)
	return f
}

// Keys are the settings of a configuration file: the flags of torture run.
func Keys() []config.Key {
	forms := map[string]config.Form{"stringSlice": config.List, "stringToString": config.Pairs}
	var keys []config.Key
	Flags().VisitAll(func(f *pflag.Flag) {
		keys = append(keys, config.Key{
			Name: f.Name, Kind: f.Value.Type(), Form: forms[f.Value.Type()], Secret: cli.IsSecret(f),
			Parse: f.Value.Set, Check: func(text string) error { return possible(f.Name, text) },
		})
	})
	return keys
}

// possible checks a value as torture run does that is given nothing else.
func possible(name, value string) error {
	switch name {
	case "workload", "store", "cluster": // what they name is checked in fewer words
		return nil
	}
	var s Spec
	f := pflag.NewFlagSet("run", pflag.ContinueOnError)
	s.Register(f)
	if err := f.Set(name, value); err != nil {
		return err
	}
	if err := s.Check(); err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), "--"))
	}
	return nil
}

// NoConfig is the flag of every command that leaves out what the file and the environment set.
const NoConfig = "no-config"

// Names are the names of flags, in order.
func Names(f *pflag.FlagSet) (names []string) {
	f.VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return names
}

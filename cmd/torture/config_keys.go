package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"locktorture/internal/cli"
	"locktorture/registry/config"
)

// runFlags are the flags of torture run, without a command.
func runFlags() *pflag.FlagSet {
	var s runSpec
	f := pflag.NewFlagSet("run", pflag.ContinueOnError)
	s.register(f)
	return f
}

// configKeys are the settings of a configuration file: the flags of torture run.
func configKeys() []config.Key {
	forms := map[string]config.Form{"stringSlice": config.List, "stringToString": config.Pairs}
	var keys []config.Key
	runFlags().VisitAll(func(f *pflag.Flag) {
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
	var s runSpec
	f := pflag.NewFlagSet("run", pflag.ContinueOnError)
	s.register(f)
	if err := f.Set(name, value); err != nil {
		return err
	}
	if err := s.check(); err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), "--"))
	}
	return nil
}

// maxFaults bounds what wrongConfig tells.
const maxFaults = 20

// wrongConfig is the user's error that says all that is wrong with a configuration file.
func wrongConfig(err error) error { return wrongFile("", err) }

// wrongFile is the user's error that says what is wrong with a file, after a word about it.
func wrongFile(word string, err error) error {
	lines := config.Wrong(err)
	if more := len(lines) - maxFaults; more > 0 {
		lines = append(lines[:maxFaults], fmt.Sprintf("and %d more", more))
	}
	return usage("%s%s", word, strings.Join(lines, "\ntorture: "))
}

package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"locktorture/internal/suggest"
	"locktorture/report/serve"
)

// flagError says what is wrong with a flag, and what was meant or is needed.
func flagError(cmd *cobra.Command, err error) error {
	var none *pflag.NotExistError
	var value *pflag.InvalidValueError
	switch {
	case errors.As(err, &none) && len(none.GetSpecifiedName()) > 1:
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if near := suggest.Nearest(none.GetSpecifiedName(), names); near != "" {
			return usage("%v; did you mean --%s?", err, near)
		}
		return usage("%v", err)
	case errors.As(err, &value):
		return usage("--%s %q: %s", value.GetFlag().Name, suggest.Short(value.GetValue(), suggest.Shown), needed(value.GetFlag()))
	}
	return usage("%v", err)
}

// needed says what a flag's value must be.
func needed(f *pflag.Flag) string {
	switch f.Value.Type() {
	case "duration":
		return "a time with its unit is needed, such as 500ms, 30s or 2m"
	case "int", "int64":
		return "a whole number is needed"
	case "uint64":
		return "a whole number is needed, 0 or more"
	case "float64":
		return "a number is needed"
	case "bool":
		return "true or false is needed, behind an equals sign: --" + f.Name + "=false"
	case "durationSlice":
		return "times with their units are needed, comma separated, such as 500ms,2s"
	case "stringToString":
		return "NAME=VALUE is needed"
	case "intSlice":
		return "whole numbers are needed, comma separated"
	}
	return "not a " + f.Value.Type()
}

// noArgs refuses what stands on a command line and belongs to no flag.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, sub := range cmd.Commands() {
		names = append(names, sub.Name())
	}
	if len(names) > 0 {
		return usage("%s: %v", called(cmd), suggest.Among(args[0], names))
	}
	hint := ""
	if f := cmd.Flags().Lookup("backend"); f != nil {
		hint = "; a lock is named by --backend"
	}
	return usage("%s takes no arguments, and %q is one%s", called(cmd), suggest.Short(strings.Join(args, " "), suggest.Shown), hint)
}

// called is the name of a command in an error, without that of the program, which begins every error.
func called(cmd *cobra.Command) string { return strings.TrimPrefix(cmd.CommandPath(), "torture ") }

// grouping makes a command one that only has others: alone it tells which.
func grouping(cmd *cobra.Command) *cobra.Command {
	cmd.Args, cmd.RunE = noArgs, func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	return cmd
}

// oneArg needs exactly one argument, which is called so.
func oneArg(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return usage("%s: %s is missing", called(cmd), what)
		case len(args) > 1:
			return usage("%s takes one argument, %s, and there are %d: %s; one with spaces needs quotes", called(cmd), what, len(args),
				suggest.Short(strings.Join(args, " "), suggest.Shown))
		}
		return nil
	}
}

// notRun is the error of a path that is no run directory, and says what it is or where there are some.
func notRun(path string, err error) error {
	info, missing := os.Stat(path)
	switch {
	case missing != nil:
		return usage("%v; runs are in results/runs, and the newest is %s", err, latestRun)
	case serve.IsMatrix(path):
		return usage("%s is the directory of a matrix; its runs are in %s, and its page: torture report --open %s", path, filepath.Join(path, "runs"), path)
	case !info.IsDir():
		return usage("%v; a history alone is judged by: torture check %s", err, path)
	}
	return usage("%v; a run directory has run.json and history.jsonl", err)
}

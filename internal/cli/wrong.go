package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"locktorture/internal/exit"
	"locktorture/internal/suggest"
)

// FlagError says what is wrong with a flag, and what was meant or is needed.
func FlagError(cmd *cobra.Command, err error) error {
	var none *pflag.NotExistError
	var value *pflag.InvalidValueError
	switch {
	case errors.As(err, &none) && len(none.GetSpecifiedName()) > 1:
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if near := suggest.Nearest(none.GetSpecifiedName(), names); near != "" {
			return exit.Usage("%v; did you mean --%s?", err, near)
		}
		return exit.Usage("%v", err)
	case errors.As(err, &value):
		return exit.Usage("%v", WrongValue("--"+value.GetFlag().Name, value.GetFlag(), value.GetValue()))
	}
	return exit.Usage("%v", err)
}

// secretKey is the annotation of a flag whose value may have a login.
const secretKey = "secret"

// MarkSecret says that the value of a flag may have a login, which no message repeats.
func MarkSecret(f *pflag.Flag) {
	if f.Annotations == nil {
		f.Annotations = map[string][]string{}
	}
	f.Annotations[secretKey] = []string{"true"}
}

// IsSecret reports whether MarkSecret was said of a flag.
func IsSecret(f *pflag.Flag) bool { return len(f.Annotations[secretKey]) > 0 }

// WrongValue says that a value is none for a flag. where says who gave it.
func WrongValue(where string, f *pflag.Flag, value string) error {
	if IsSecret(f) {
		return fmt.Errorf("%s: %s", where, Needed(f))
	}
	return fmt.Errorf("%s %q: %s", where, suggest.Repeat(value), Needed(f))
}

// Needed says what a flag's value must be.
func Needed(f *pflag.Flag) string {
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
		return "true or false is needed, after an equals sign: --" + f.Name + "=false"
	case "durationSlice":
		return "times with their units are needed, comma separated, such as 500ms,2s"
	case "stringToString":
		return "NAME=VALUE is needed"
	case "stringSlice":
		return "words are needed, comma separated; put a word that has a comma or a quotation mark into quotation marks, and double each mark inside"
	case "intSlice":
		return "whole numbers are needed, comma separated"
	}
	return "not a " + f.Value.Type()
}

// NoArgs refuses what stands on a command line and belongs to no flag.
func NoArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, sub := range cmd.Commands() {
		names = append(names, sub.Name())
	}
	if len(names) > 0 {
		return exit.Usage("%s: %v", called(cmd), suggest.Among(args[0], names))
	}
	hint := separated(cmd, args)
	if f := cmd.Flags().Lookup("backend"); f != nil && hint == "" {
		hint = "; a lock is named by --backend"
	}
	return exit.Usage("%s takes no arguments, and %q is one%s", called(cmd), suggest.Repeat(strings.Join(args, " ")), hint)
}

// separated is the hint where the arguments are values that a flag of several takes: they were
// separated by spaces. "" where there is no such flag.
func separated(cmd *cobra.Command, args []string) (hint string) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		list, ok := f.Value.(pflag.SliceValue)
		complete, known := cmd.GetFlagCompletionFunc(f.Name)
		if !ok || !known {
			return
		}
		values, _ := complete(cmd, nil, "")
		for _, a := range args {
			if !slices.Contains(values, strings.Trim(a, ",")) {
				return
			}
		}
		all := slices.DeleteFunc(strings.Split(strings.Join(append(list.GetSlice(), args...), ","), ","), func(s string) bool { return s == "" })
		hint = fmt.Sprintf("; several values are separated by commas, without spaces: --%s %s", f.Name, strings.Join(all, ","))
	})
	return hint
}

// OneArg needs exactly one argument, which is called so.
func OneArg(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return exit.Usage("%s: %s is missing", called(cmd), what)
		case len(args) > 1:
			return exit.Usage("%s takes one argument, %s, and there are %d: %s; one with spaces needs quotes", called(cmd), what, len(args),
				suggest.Short(strings.Join(args, " "), suggest.Shown))
		}
		return nil
	}
}

// called is the name of a command in an error, without that of the program, which begins every
// error.
func called(cmd *cobra.Command) string {
	return strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
}

// Grouping makes a command one that only has others: alone it tells which.
func Grouping(cmd *cobra.Command) *cobra.Command {
	cmd.Args, cmd.RunE = NoArgs, func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	return cmd
}

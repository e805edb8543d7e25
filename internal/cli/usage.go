// Package cli is what all commands of this program have in common: how they tell their usage,
// and what they say to a command line that is wrong: the cause, and what was meant or is
// needed.
package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"locktorture/internal/terminal"
)

// Width is how wide a help text is at most, in characters.
const Width = 100

// A Group is a part of the flags of a command, under its own heading.
type Group struct {
	Title string
	Flags []string
}

// Usage returns the function that writes how a command is used, below what it is for. groups
// returns the groups of a command's flags, in their order; nil puts all flags into one group.
func Usage(groups func(*cobra.Command) []Group) func(*cobra.Command) error {
	return func(cmd *cobra.Command) error {
		out := cmd.OutOrStderr()
		width := Width
		if w := terminal.Width(out); w > 0 {
			width = min(width, w)
		}
		_, err := io.WriteString(out, usage(cmd, sets(cmd, groups(cmd)), width))
		return err
	}
}

// usage is that text.
func usage(cmd *cobra.Command, sets []*pflag.FlagSet, width int) string {
	var b strings.Builder
	b.WriteString("Usage:\n")
	if cmd.Runnable() {
		fmt.Fprintf(&b, "  %s\n", cmd.UseLine())
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "  %s [command]\n\nCommands:\n", cmd.CommandPath())
		for _, sub := range cmd.Commands() {
			if sub.IsAvailableCommand() {
				fmt.Fprintf(&b, "  %-*s %s\n", sub.NamePadding(), sub.Name(), sub.Short)
			}
		}
	}
	if cmd.HasExample() {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", cmd.Example)
	}
	for _, set := range sets {
		if set.HasAvailableFlags() {
			fmt.Fprintf(&b, "\n%s:\n%s", set.Name(), set.FlagUsagesWrapped(width))
		}
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\nMore about a command: %s [command] --help\n", cmd.CommandPath())
	}
	return b.String()
}

// sets are the flags of a command by their groups. What no group names stands in the last.
func sets(cmd *cobra.Command, groups []Group) []*pflag.FlagSet {
	var sets []*pflag.FlagSet
	rest := pflag.NewFlagSet("Flags", pflag.ContinueOnError)
	if len(groups) > 0 {
		rest = pflag.NewFlagSet("Other", pflag.ContinueOnError)
	}
	var grouped []string
	for _, g := range groups {
		set := pflag.NewFlagSet(g.Title, pflag.ContinueOnError)
		set.SortFlags = false
		for _, name := range g.Flags {
			if f := cmd.Flags().Lookup(name); f != nil {
				set.AddFlag(shown(f))
			}
		}
		sets, grouped = append(sets, set), append(grouped, g.Flags...)
	}
	add := func(f *pflag.Flag) {
		if !slices.Contains(grouped, f.Name) {
			rest.AddFlag(shown(f))
		}
	}
	cmd.LocalFlags().VisitAll(add)
	cmd.InheritedFlags().VisitAll(add)
	return append(sets, rest)
}

// shown returns the flag as the help shows it: without a default of "[]". pflag itself omits this
// default for three types.
func shown(f *pflag.Flag) *pflag.Flag {
	out := *f
	if omitted := []string{"stringSlice", "stringArray", "intSlice"}; out.DefValue == "[]" && !slices.Contains(omitted, out.Value.Type()) {
		out.DefValue = ""
	}
	return &out
}

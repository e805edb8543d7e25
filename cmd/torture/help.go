package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"locktorture/internal/terminal"
)

// helpWidth is how wide a help text is at most, in characters.
const helpWidth = 100

// A flagGroup is a part of the flags of a command, under its own heading.
type flagGroup struct {
	Title string
	Flags []string
}

// runGroups are the flags of torture run, in the order in which one thinks of them.
func runGroups() []flagGroup {
	return []flagGroup{
		{"What is tortured", []string{"backend", "driver", "option", "workload", "ttl", "fencing", "careful", "seed"}},
		{"Faults", []string{"nemesis", "duration", "schedule"}},
		{"Load", []string{"clients", "in-process", "locks", "keys", "hot", "hold", "long-hold", "think", "arrivals", "sections", "wait", "store"}},
		{"Servers", []string{"cluster", "topology", "image"}},
		{"Servers of your own", []string{"endpoints", "user-file", "password-file", "database", "key-prefix", "sentinel-master",
			"tls", "tls-ca", "tls-cert", "tls-key", "tls-server-name"}},
		{"Judging", []string{"expect", "min-grants", "free-within", "stop-on-violation", "check-timeout", "check-memory", "repeat", "until-fail"}},
		{"Output", []string{"dir", "history-limit", "json", "quiet"}},
	}
}

// groupsOf are the flags of a command. What no group names stands in the last.
func groupsOf(cmd *cobra.Command) []*pflag.FlagSet {
	var groups []flagGroup
	if takesAll(cmd) {
		groups = runGroups()
	}
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

// shown is a flag as it is shown: that it is empty by default goes without saying.
func shown(f *pflag.Flag) *pflag.Flag {
	out := *f
	if out.DefValue == "[]" {
		out.DefValue = ""
	}
	return &out
}

// printUsage writes how a command is used, below what it is for.
func printUsage(cmd *cobra.Command) error {
	out := cmd.OutOrStderr()
	width := helpWidth
	if w := terminal.Width(out); w > 0 {
		width = min(width, w)
	}
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
	for _, set := range groupsOf(cmd) {
		if set.HasAvailableFlags() {
			fmt.Fprintf(&b, "\n%s:\n%s", set.Name(), set.FlagUsagesWrapped(width))
		}
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\nMore about a command: %s [command] --help\n", cmd.CommandPath())
	}
	_, err := io.WriteString(out, b.String())
	return err
}

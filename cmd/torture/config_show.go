package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"locktorture/cluster/external"
	"locktorture/internal/cli"
	"locktorture/internal/exit"
	"locktorture/registry/config"
	"locktorture/runs"
)

func newConfig(env environment) *cobra.Command {
	cmd := cli.Grouping(&cobra.Command{
		Use:   "config",
		Short: "show or check the settings of torture run (docs/configuration.md)",
		Long: `You can set every flag of torture run on the command line, in the environment (TORTURE_
and the name of the flag, such as TORTURE_LONG_HOLD), or in torture.yaml in the working
directory. The first of these that sets a flag wins.`,
	})
	cmd.AddCommand(newConfigShow(env), newConfigValidate(env))
	return cmd
}

func newConfigShow(env environment) *cobra.Command {
	var s runs.Spec
	cmd := &cobra.Command{
		Use:     "show",
		Short:   "show the settings of torture run, and where each value comes from",
		Example: "  torture config show\n  torture config show --backend etcd",
		Args:    cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, w := range config.Stray(runs.Names(runs.Flags()), []string{runs.UserEnv, runs.PasswordEnv}) {
				fmt.Fprintf(cmd.ErrOrStderr(), "torture: %s\n", w)
			}
			return showConfig(cmd.OutOrStdout(), cmd.Flags(), env.files.Own, s.Endpoints, runs.SecretsOf(cmd.Context()))
		},
	}
	s.Register(cmd.Flags())
	return cmd
}

// showConfig prints a line for each value.
func showConfig(out io.Writer, flags *pflag.FlagSet, c config.File, endpoints []string, known runs.Secrets) error {
	tab := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Name == "help" || f.Name == runs.NoConfig {
			return
		}
		value, origin := f.Value.String(), config.Origin(f)
		switch {
		case origin == "" && f.Changed:
			origin = "flag"
		case origin == "":
			origin = "default"
		}
		if f.Name == "endpoints" {
			value = external.WithoutLogins(endpoints)
		}
		fmt.Fprintf(tab, "%s\t%s\t%s\n", f.Name, value, origin)
	})
	for _, secret := range []string{runs.UserEnv, runs.PasswordEnv} {
		if known[secret] != "" {
			name := strings.ToLower(strings.TrimPrefix(secret, "TORTURE_"))
			fmt.Fprintf(tab, "%s\t(set)\tenvironment %s\n", name, secret)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Drivers)) {
		fmt.Fprintf(tab, "driver %s\t%s\t%s\n", name, strings.Join(c.Drivers[name].Command, " "), config.Name)
	}
	return tab.Flush()
}

func newConfigValidate(env environment) *cobra.Command {
	return &cobra.Command{
		Use:   "validate [FILE]",
		Short: "check a configuration file (default: " + config.Name + ")",
		Args:  cobra.MaximumNArgs(1),
		// What is wrong with it is this command's own answer.
		PersistentPreRunE: func(*cobra.Command, []string) error { return nil },
		RunE: func(cmd *cobra.Command, args []string) error {
			path := config.Name
			if len(args) > 0 {
				path = args[0]
			}
			if _, err := os.Stat(path); err != nil {
				return exit.Usage("%v", err)
			}
			c, err := config.ReadFile(path, runs.Keys())
			if err := errors.Join(err, c.CheckBackend(env.locks)); err != nil {
				return wrongConfig(err)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s is valid: %d settings, %d images, %d drivers\n", path, len(c.Settings), len(c.Images), len(c.Drivers))
			return nil
		},
	}
}

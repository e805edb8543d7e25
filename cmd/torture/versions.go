package main

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"locktorture/internal/exit"
	"locktorture/internal/programs"
	"locktorture/ledger"
	"locktorture/site"
)

func newVersions(env environment) *cobra.Command {
	var c site.Tries
	cmd := &cobra.Command{
		Use:   "versions FINDING|LIBRARY|LOCK...",
		Short: "find the releases of a library that have a known failure",
		Long: `versions runs the program of a finding (findings/) with several releases of the library:
the newest, the oldest and some in between. If two neighbours among these releases have
different results, versions bisects between them. versions writes the result of each
release into the ledger immediately (docs/ledger.md). versions skips releases whose result
for the same program is already in the ledger, so the same command continues after an
interruption. versions needs go or npm, and access to the registry of the library.

A pre-release counts only if no later release exists. If the program does not build with a
release, or fails for a reason of its own, versions lists this release with the cause and
without a result.

exit codes: 0 done (whatever the results), 2 wrong usage or an unavailable registry or
server, 4 the harness itself failed, 130 interrupted`,
		Example: `  torture versions redsync-late-release
  torture versions proper-lockfile --all        # every finding about the library, every release
  torture versions rueidislock --rounds 5       # every finding about the libraries of a lock
  torture versions redsync-late-set --from v4.8.0 --list`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return exit.Usage("versions: name a finding, a library or a lock")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return tryVersions(cmd, env, c, args) },
	}
	f := cmd.Flags()
	f.StringVar(&c.Ledger, "ledger", "", "`directory` of the ledger for the results; none: write no ledger (default: results/ledger in torture's source code)")
	f.IntVar(&c.Rounds, "rounds", 3, "maximum number of rounds with each release; the first failure ends the rounds")
	f.IntVar(&c.Sample, "sample", 5, "number of releases to try before the bisection")
	f.BoolVar(&c.All, "all", false, "try every release")
	f.BoolVar(&c.Again, "again", false, "also try releases whose result is already in the ledger")
	f.StringVar(&c.From, "from", "", "oldest `version` to try")
	f.StringVar(&c.To, "to", "", "newest `version` to try")
	f.BoolVar(&c.List, "list", false, "only list the releases, with their results in the ledger")
	return cmd
}

func tryVersions(cmd *cobra.Command, env environment, c site.Tries, args []string) error {
	root, ok := programs.Root()
	switch {
	case !ok:
		return exit.Usage("the programs (findings/) are missing: they are part of torture's source code")
	case commit == "unknown" && c.Ledger != "none" && !c.List:
		return exit.Usage("this build of torture does not know its commit, which the ledger needs: use make build, or --ledger none")
	case c.Rounds < 1 || c.Sample < 2:
		return exit.Usage("--rounds %d --sample %d: --rounds must be at least 1, and --sample at least 2", c.Rounds, c.Sample)
	}
	switch c.Ledger {
	case "":
		c.Ledger = filepath.Join(root, ledger.Dir)
	case "none":
		c.Ledger = ""
	}
	all, err := site.Findings(root)
	if err != nil {
		return exit.Usage("%v", err)
	}
	var chosen []site.Finding
	for _, arg := range args {
		named, err := site.Named(all, arg, env.libraries)
		if err != nil {
			return exit.Usage("%s: %v", arg, err)
		}
		chosen = append(chosen, named...)
	}
	c.Root, c.Commit, c.Out, c.Told = root, commit, cmd.OutOrStdout(), cmd.ErrOrStderr()
	return site.Try(cmd.Context(), c, chosen)
}

// libraries names the libraries of a lock; false: there is no such lock.
func (e environment) libraries(lock string) (string, bool) {
	b, ok := e.locks[lock]
	if !ok {
		return "", false
	}
	return b.Library(), true
}

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
		Short: "find the releases of a library that show a failure",
		Long: `versions runs the program of a finding (findings/) with released versions of its library:
the newest, the oldest and some between. Then it bisects between two that differ. It
writes each release into the ledger when it was tried (docs/ledger.md). If the
ledger has a release for the unchanged program, versions does not run it again; so after
^C the same command continues. versions asks the library's registry, and needs go or npm.

A pre-release counts only if no release came after it. If the program does not build with
a release, or fails, the release shows nothing and is listed with the cause.

exit codes: 0 done, whatever was found, 2 usage, or a registry or a server that is not
available, 4 the harness itself failed, 130 interrupted`,
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
	f.StringVar(&c.Ledger, "ledger", "", "`directory` of the ledger for the results; none: keep nothing (default results/ledger of the source)")
	f.IntVar(&c.Rounds, "rounds", 3, "largest number of rounds with each release; it ends at the first round that shows the failure")
	f.IntVar(&c.Sample, "sample", 5, "number of releases that are tried before the bisection")
	f.BoolVar(&c.All, "all", false, "try every release")
	f.BoolVar(&c.Again, "again", false, "also try releases that the ledger has")
	f.StringVar(&c.From, "from", "", "the oldest `version` that is tried")
	f.StringVar(&c.To, "to", "", "the newest `version` that is tried")
	f.BoolVar(&c.List, "list", false, "list the releases and their results in the ledger; run nothing")
	return cmd
}

func tryVersions(cmd *cobra.Command, env environment, c site.Tries, args []string) error {
	root, ok := programs.Root()
	switch {
	case !ok:
		return exit.Usage("the programs (findings/) are not here: they are in the source of torture")
	case commit == "unknown" && c.Ledger != "none" && !c.List:
		return exit.Usage("this program does not know its commit, which the ledger needs: use make build, or --ledger none")
	case c.Rounds < 1 || c.Sample < 2:
		return exit.Usage("--rounds %d --sample %d: at least one round and two releases", c.Rounds, c.Sample)
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

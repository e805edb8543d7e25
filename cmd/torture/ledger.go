package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/kballard/go-shellquote"
	"github.com/spf13/cobra"

	"locktorture/guide"
	"locktorture/internal/atomicfile"
	"locktorture/internal/cli"
	"locktorture/internal/exit"
	"locktorture/internal/programs"
	"locktorture/ledger"
)

func newLedger(env environment) *cobra.Command {
	cmd := cli.Grouping(&cobra.Command{
		Use:   "ledger",
		Short: "check the ledger of published runs, and write the tables of this repository's pages",
	})
	var dir string
	cmd.PersistentFlags().StringVar(&dir, "ledger", ledger.Dir, "`directory` of the ledger")
	cmd.AddCommand(newLedgerCheck(&dir), newLedgerRender(env, &dir), newLedgerStale(env, &dir), newLedgerMeasure(env, &dir), newLedgerFinding(&dir))
	return cmd
}

func newLedgerCheck(dir *string) *cobra.Command {
	return &cobra.Command{
		Use:   "check",
		Short: "check every line of the ledger",
		Args:  cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			lines, err := ledger.Read(*dir, time.Now())
			releases, wrong := ledger.ReadReleases(*dir, time.Now())
			if err = errors.Join(err, wrong); err != nil {
				return exit.Usage("%v", err)
			}
			subjects, busy := map[ledger.Subject]bool{}, 0
			for _, l := range lines {
				subjects[l.Subject()] = true
				if l.Busy() {
					busy++
				}
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %d lines, all valid; %d cells; %d lines from a busy machine; %d lines about releases\n", *dir, len(lines), len(subjects), busy, len(releases))
			return err
		},
	}
}

// pagesData is what the pages are made from, and the root of the repository.
func pagesData(env environment, dir string) (d *guide.Data, root string, err error) {
	root, ok := programs.Root()
	if !ok {
		return nil, "", exit.Usage("torture's source code is missing; without the source, torture cannot determine which lines are stale")
	}
	if d, err = guide.Read(root, dir, env.files.Known()); err != nil {
		return nil, "", exit.Usage("%v", err)
	}
	return d, root, nil
}

func newLedgerRender(env environment, dir *string) *cobra.Command {
	var checkOnly bool
	cmd := &cobra.Command{
		Use:   "render",
		Short: "write the tables of this repository's pages from the ledger",
		Long: `render writes the tables in the pages of this repository. A table stands between
two markers:

  <!-- ledger: table NAME -->
  <!-- end -->`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			d, root, err := pagesData(env, *dir)
			if err != nil {
				return err
			}
			pages, err := guide.Pages(root)
			if err != nil {
				return exit.Usage("%v", err)
			}
			return renderPages(cmd, d, pages, checkOnly)
		},
	}
	cmd.Flags().BoolVar(&checkOnly, "check", false, "write nothing; exit with 1 if a table, or a mark of stale cells, is outdated")
	return cmd
}

// renderPages writes pages anew, or says which it would.
func renderPages(cmd *cobra.Command, d *guide.Data, pages []string, checkOnly bool) error {
	differ := false
	for _, path := range pages {
		was, err := os.ReadFile(path)
		if err != nil {
			return exit.Usage("%v", err)
		}
		text, err := ledger.Render(string(was), d.Table)
		switch {
		case err != nil:
			return exit.Usage("%s: %v", path, err)
		case text == string(was):
			continue
		case !checkOnly:
			if err := atomicfile.WriteText(path, text); err != nil {
				return exit.Broken(err)
			}
		}
		differ = true
		fmt.Fprintln(cmd.OutOrStdout(), path)
	}
	if differ && checkOnly {
		return exit.Silent(exit.Violated)
	}
	return nil
}

// A stalest says how many runs each cell is to have.
type stalest struct{ least, most int }

func (s stalest) check() error {
	if s.least < 1 || s.most < s.least {
		return exit.Usage("--runs %d --differing %d: --runs must be at least 1, and --differing must be at least --runs", s.least, s.most)
	}
	return nil
}

func newLedgerStale(env environment, dir *string) *cobra.Command {
	var commands bool
	var least, most int
	cmd := &cobra.Command{
		Use:   "stale",
		Short: "list missing runs: empty cells first, then stale cells, then cells with few runs",
		Args:  cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := (stalest{least, most}).check(); err != nil {
				return err
			}
			d, _, err := pagesData(env, *dir)
			if err != nil {
				return err
			}
			next, err := d.Plan(least, most)
			if err != nil {
				return exit.Broken(err)
			}
			for _, n := range next {
				line := fmt.Sprintf("%3d  %-40s %s", n.Runs, n.Cell, shellquote.Join(n.Command...))
				if commands {
					line = shellquote.Join(n.Command...)
				}
				if _, err := fmt.Fprintln(cmd.OutOrStdout(), line); err != nil {
					return exit.Broken(err)
				}
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.BoolVar(&commands, "commands", false, "print only the commands, one for each cell")
	f.IntVar(&least, "runs", 12, "number of runs that each cell needs")
	f.IntVar(&most, "differing", 20, "number of runs that a cell needs if its runs have different grades")
	return cmd
}

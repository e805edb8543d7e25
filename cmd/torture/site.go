package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"locktorture/internal/exit"
	"locktorture/internal/programs"
	"locktorture/ledger"
	"locktorture/site"
)

func newSite(env environment) *cobra.Command {
	dir, book := "results/site", ledger.Dir
	cmd := &cobra.Command{
		Use:   "site [DIR]",
		Short: "write the ledger as static pages: locks, faults, findings, releases",
		Long: `From the ledger and the source of torture, site writes a matrix of locks and faults, and
a page for each lock, each fault and each finding. The pages open from a folder and on
any static host, and load nothing from elsewhere. site removes pages that an earlier call
left in the directory. It refuses a directory with other files in it.`,
		Example: "  torture site\n  torture site /var/www/locks\n  torture site --ledger my-ledger out",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return exit.Usage("site: name one directory, not %d", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				dir = args[0]
			}
			return writeSite(cmd, env, book, dir)
		},
	}
	cmd.Flags().StringVar(&book, "ledger", book, "`directory` of the ledger")
	return cmd
}

func writeSite(cmd *cobra.Command, env environment, book, dir string) error {
	root, ok := programs.Root()
	if !ok {
		return exit.Usage("the source of torture is not here; without it torture cannot tell which lines are stale")
	}
	s, err := site.Make(site.Config{Root: root, Ledger: book, Locks: env.files.Known()})
	if err != nil {
		return exit.Usage("%v", err)
	}
	if err := s.Write(dir); err != nil {
		return exit.Usage("%v", err)
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s/index.html: %d locks, %d faults, %d findings, %d runs; %d files, %.1f MB\n",
		dir, s.Locks, s.Faults, s.Findings, s.Runs, len(s.Files), float64(s.Bytes())/1e6)
	return err
}

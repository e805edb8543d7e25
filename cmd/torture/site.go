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
		Long: `site reads the ledger and torture's source code, and writes static pages: a matrix of locks
and faults, and a page for each lock, each fault and each finding. A browser can open these
pages from a directory or from any web server, and they load nothing from other servers.
site removes the pages of an earlier call from the directory. site refuses a directory
that has other files.`,
		Example: "  torture site\n  torture site /var/www/locks\n  torture site --ledger my-ledger out",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return exit.Usage("site: name only one directory, not %d", len(args))
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
		return exit.Usage("torture's source code is missing; without the source, torture cannot determine which lines are stale")
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

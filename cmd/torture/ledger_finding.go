package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"locktorture/internal/cli"
	"locktorture/internal/exit"
	"locktorture/ledger"
	"locktorture/registry"
	"locktorture/runs"
)

func newLedgerFinding(dir *string) *cobra.Command {
	var code int
	var took time.Duration
	cmd := &cobra.Command{
		Use:    "finding NAME",
		Short:  "add a line to the ledger for a finished program of findings/ (findings/run calls this command)",
		Hidden: true,
		Args:   cli.OneArg("a finding"),
		RunE: func(_ *cobra.Command, args []string) error {
			l := ledger.Line{Kind: ledger.Finding, Duration: took.Milliseconds()}
			switch code {
			case 1:
				l.Grade = ledger.Shown
			case 0:
				l.Grade = ledger.NotShown
			default:
				return exit.Usage("--code %d: must be 1 (the failure was shown) or 0 (it was not)", code)
			}
			k, err := runs.LedgerSpec{Ledger: *dir}.Bookkeeper(commit)
			if err != nil {
				return err
			}
			lock := registry.Backend{Name: args[0]}
			if err := k.BeginKind(ledger.Finding, lock, ""); err != nil {
				return err
			}
			if err := k.Note(lock, l); err != nil {
				return exit.Broken(fmt.Errorf("finding %s: %w", args[0], err))
			}
			return nil
		},
	}
	cmd.Flags().IntVar(&code, "code", 0, "exit code of the program")
	cmd.Flags().DurationVar(&took, "took", 0, "how long the program took")
	return cmd
}

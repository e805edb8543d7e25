package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"locktorture/guide"
	"locktorture/internal/atomicfile"
	"locktorture/internal/exit"
	"locktorture/runs"
)

// newChoosing is the hidden command that writes docs/choosing.md.
func newChoosing() *cobra.Command {
	return &cobra.Command{
		Use:    "choosing ROOT",
		Short:  "write docs/choosing.md of a repository from its results",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			data, err := guide.Read(args[0])
			if err != nil {
				return exit.Usage("%v", err)
			}
			var page strings.Builder
			if err := data.Write(&page); err != nil {
				return exit.Usage("%v", err)
			}
			path := filepath.Join(args[0], guide.Page)
			if err := atomicfile.WriteText(path, page.String()); err != nil {
				return runs.Broken(err)
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), path)
			return err
		},
	}
}

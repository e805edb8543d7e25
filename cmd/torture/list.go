package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"locktorture/registry"
	"locktorture/registry/config"
	"locktorture/scenarios/record"
)

func newList(env environment) *cobra.Command {
	var asJSON, versions bool
	cmd := &cobra.Command{
		Use:       "list backends|workloads|stores|nemeses|scenarios|models|images|mutants",
		Short:     "list what there is",
		Args:      cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		ValidArgs: []string{"backends", "workloads", "stores", "nemeses", "scenarios", "models", "images", "mutants"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if args[0] == "scenarios" {
				return record.List(cmd.OutOrStdout(), asJSON)
			}
			rows := registry.List(args[0], env.locks, versions)
			if asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(rows)
			}
			return printRows(cmd.OutOrStdout(), rows)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	cmd.Flags().BoolVar(&versions, "versions", false, "run the version commands of drivers, which are programs that "+config.Name+" names")
	return cmd
}

func printRows(w io.Writer, rows []registry.Row) error {
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		cells := []string{r.Name, r.About}
		if r.Serves != "" || r.Topology != "" {
			cells = append(cells, r.Topology, r.Serves, r.Library, strings.Join(r.Traits, ", "))
		}
		fmt.Fprintln(tab, strings.Join(cells, "\t"))
	}
	return tab.Flush()
}

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"locktorture/checker/linear"
	"locktorture/cluster"
	"locktorture/cluster/docker"
	"locktorture/registry"
	"locktorture/registry/config"
	"locktorture/scenarios/record"
)

// A listRow is one entry of torture list.
type listRow struct {
	Name     string   `json:"name"`
	About    string   `json:"about"`
	Library  string   `json:"library,omitempty"` // the libraries that it is made of, with versions
	Topology string   `json:"topology,omitempty"`
	Serves   string   `json:"served_by,omitempty"` // provisioner here, or why none
	Traits   []string `json:"traits,omitempty"`
	Model    string   `json:"model,omitempty"`
	Clock    string   `json:"clock,omitempty"`
}

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
			rows := listOf(args[0], env.locks, versions)
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

func listOf(what string, all map[string]registry.Backend, versions bool) []listRow {
	var rows []listRow
	candidates := registry.Provisioners(nil) // one for all: each asks the registries anew
	switch what {
	case "backends":
		for _, name := range slices.Sorted(maps.Keys(all)) {
			rows = append(rows, backendRow(name, all[name], candidates))
		}
		askLibraries(rows, all, versions)
	case "workloads":
		all := registry.Workloads()
		for _, name := range slices.Sorted(maps.Keys(all)) {
			rows = append(rows, listRow{Name: name, About: all[name].About})
		}
	case "stores":
		all := registry.Stores()
		for _, name := range slices.Sorted(maps.Keys(all)) {
			rows = append(rows, listRow{Name: name, About: all[name].About, Topology: all[name].Topology, Serves: registry.ServedBy(candidates, all[name].Topology)})
		}
	case "nemeses":
		for _, name := range slices.Sorted(maps.Keys(registry.Nemeses())) {
			rows = append(rows, listRow{Name: name, About: registry.Nemeses()[name].Traits().About})
		}
	case "images":
		for _, server := range docker.Servers() {
			rows = append(rows, listRow{Name: server, About: docker.Defaults()[server]})
		}
	case "mutants":
		all := registry.Mutants()
		for _, name := range slices.Sorted(maps.Keys(all)) {
			rows = append(rows, listRow{Name: name, About: all[name].About})
		}
	case "models":
		for _, name := range linear.Models() {
			rows = append(rows, listRow{Name: name})
		}
	}
	return rows
}

func backendRow(name string, b registry.Backend, candidates []cluster.Candidate) listRow {
	t := b.Traits
	if b.Driver != nil {
		return listRow{Name: name, About: b.About, Topology: b.Topology, Serves: b.ServedBy(candidates), Traits: []string{"declared by its open reply"}}
	}
	row := listRow{Name: name, About: b.About, Topology: b.Topology, Serves: b.ServedBy(candidates), Model: t.Model, Clock: t.Clock}
	for _, trait := range []struct {
		has  bool
		name string
	}{
		{t.Reentrant, "reentrant"}, {t.Fair, "fair"}, {t.Wait != "", "waits by " + t.Wait}, {t.Renews, "renews"},
		{t.Token, "token"}, {t.Bounded, "validity " + t.Validity}, {t.Watched, "tells loss"},
	} {
		if trait.has {
			row.Traits = append(row.Traits, trait.name)
		}
	}
	return row
}

// askLibraries completes the rows of backends. What a file names is run only where the user wants
// that, because a list is looked at before one trusts the folder; programs are then asked at the same time.
func askLibraries(rows []listRow, all map[string]registry.Backend, run bool) {
	var wg sync.WaitGroup
	for i := range rows {
		wg.Go(func() {
			if b := all[rows[i].Name]; run || b.Driver == nil {
				rows[i].Library = b.Library()
			}
		})
	}
	wg.Wait()
}

func printRows(w io.Writer, rows []listRow) error {
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

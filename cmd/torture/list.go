package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"locktorture/internal/exit"
	"locktorture/internal/suggest"
	"locktorture/internal/terminal"
	"locktorture/registry"
	"locktorture/registry/config"
	"locktorture/report"
	"locktorture/scenarios/record"
)

// listed are the kinds that there are lists of, in the plural.
func listed() []string {
	return []string{"backends", "workloads", "stores", "topologies", "nemeses", "scenarios", "models", "images", "mutants"}
}

func newList(env environment) *cobra.Command {
	var asJSON, versions bool
	cmd := &cobra.Command{
		Use:     "list KIND [NAME]",
		Long:    "list prints all entries of a kind, or describes one of them. The kinds are\n" + strings.Join(listed(), ", ") + ".",
		Short:   "list all locks, faults, workloads and so on, or describe one of them",
		Example: "  torture list backends\n  torture list backends redlock\n  torture list nemeses --json",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 || len(args) > 2 {
				return exit.Usage("list: name a kind: %s", strings.Join(listed(), ", "))
			}
			return nil
		},
		ValidArgs: listed(),
		RunE: func(cmd *cobra.Command, args []string) error {
			kind, err := kindOf(args[0])
			if err != nil {
				return err
			}
			name := strings.Join(args[1:], "")
			if kind == "scenarios" {
				return listScenarios(cmd.OutOrStdout(), name, asJSON)
			}
			rows := registry.List(kind, env.locks, versions)
			if kind == "backends" {
				rows = slices.AppendSeq(rows, maps.Values(env.files.Absent()))
				slices.SortFunc(rows, func(a, b registry.Row) int { return strings.Compare(a.Name, b.Name) })
			}
			if name != "" {
				return listOne(cmd.OutOrStdout(), kind, name, rows, asJSON)
			}
			return listAll(cmd.OutOrStdout(), kind, rows, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object (docs/files.md)")
	cmd.Flags().BoolVar(&versions, "versions", false, "also show the library versions of drivers, by running the version commands in "+config.Name)
	return cmd
}

// kindOf is the plural of a kind that is named in the singular or the plural.
func kindOf(word string) (string, error) {
	for _, kind := range listed() {
		if word == kind || word == registry.Singular(kind) {
			return kind, nil
		}
	}
	return "", exit.Usage("list: %v", suggest.Among(word, listed()))
}

// A rowList is the output of torture list KIND --json.
type rowList struct {
	Rows []registry.Row `json:"rows"`
}

// listAll prints a line for each row, or as many as its sentence needs.
func listAll(w io.Writer, kind string, rows []registry.Row, asJSON bool) error {
	if asJSON {
		return report.Encode(w, rowList{rows})
	}
	if err := printLines(w, registry.Lines(rows, listWidth(w))); err != nil || !terminal.Is(w) {
		return err
	}
	_, err := fmt.Fprintf(w, "\nto describe one: torture list %s NAME\n", kind)
	return err
}

// listOne prints all that is known of one row.
func listOne(w io.Writer, kind, name string, rows []registry.Row, asJSON bool) error {
	r, err := registry.One(kind, name, rows)
	if err != nil {
		return exit.Usage("%v", err)
	}
	if asJSON {
		return report.Encode(w, rowList{[]registry.Row{r}})
	}
	return printLines(w, r.Lines(listWidth(w)))
}

// listWidth is how wide a list is.
func listWidth(w io.Writer) int {
	if width := terminal.Width(w); width > 0 {
		return width
	}
	width, _ := terminal.Size(nil)
	return width
}

func printLines(w io.Writer, lines []string) error {
	_, err := io.WriteString(w, strings.Join(lines, "\n")+"\n")
	return err
}

// listScenarios prints the scenarios, or one of them with its cases.
func listScenarios(w io.Writer, name string, asJSON bool) error {
	if asJSON {
		list, err := record.List(name)
		if err != nil {
			return exit.Usage("%v", err)
		}
		return report.Encode(w, scenarioList{list})
	}
	lines, err := record.Lines(name, listWidth(w))
	if err != nil {
		return exit.Usage("%v", err)
	}
	return printLines(w, lines)
}

// A scenarioList is the output of torture scenario list --json.
type scenarioList struct {
	Scenarios []record.Listed `json:"scenarios"`
}

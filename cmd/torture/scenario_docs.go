package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"locktorture/history"
	"locktorture/report/story"
	"locktorture/trial"
)

// The drawing of a page stands between these lines. It is made by a play and
// differs from one to the next; the rest is made of the scenario's data.
const (
	drawingBegin = "```mermaid\n"
	drawingEnd   = "```\n"
)

// newScenarioDocs is the hidden command that writes docs/scenarios.
func newScenarioDocs() *cobra.Command {
	var s scenarioSpec
	var text bool
	cmd := &cobra.Command{
		Use:    "docs DIR [NAME...]",
		Short:  "write a page for each scenario, with a drawing of what happened",
		Hidden: true,
		Args:   cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			pool := &clusterPool{servers: s.serverSpec}
			defer pool.close()
			for _, n := range scenarioList() {
				if len(args) > 1 && !contains(args[1:], n.Name) {
					continue
				}
				file := filepath.Join(args[0], n.Name+".md")
				if drawing, ok := drawingOf(file); text && ok {
					if err := os.WriteFile(file, []byte(scenarioPage(n, drawing)), 0o644); err != nil {
						return broken(err)
					}
					continue
				}
				fmt.Fprintln(cmd.ErrOrStderr(), n.Name)
				r, err := playOnce(cmd.Context(), pool, s, play{n, n.Cases[0]})
				if err = errors.Join(err, r.write()); err != nil {
					return err
				}
				h, _, err := history.ReadFile(trial.HistoryOf(r.dir).Name)
				if err != nil {
					return broken(err)
				}
				page := scenarioPage(n, story.New(r.run, r.result, h).Mermaid())
				if err := os.WriteFile(file, []byte(page), 0o644); err != nil {
					return broken(err)
				}
			}
			return nil
		},
	}
	s.register(cmd.Flags())
	cmd.Flags().StringVar(&s.Dir, "dir", "results/runs", "where run directories are made")
	cmd.Flags().BoolVar(&text, "text", false, "keep the drawings of pages that have one, and play nothing for them")
	return cmd
}

// drawingOf reads the drawing of a page.
func drawingOf(file string) (string, bool) {
	page, err := os.ReadFile(file)
	if err != nil {
		return "", false
	}
	_, rest, ok := strings.Cut(string(page), drawingBegin)
	drawing, _, closed := strings.Cut(rest, drawingEnd)
	return drawing, ok && closed
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// scenarioPage is the page of one scenario.
func scenarioPage(n namedScenario, drawing string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s.\n\n", n.Name, sentenceCase(n.Title))
	fmt.Fprintf(&b, "Described in: %s.\n\n%s\n\n", n.Source, n.Shows)
	fmt.Fprintf(&b, "## What happens\n\n%s\n\n", n.Story)
	fmt.Fprintf(&b, "Drawn from a run with %s:\n\n%s%s%s\n", n.Cases[0].Name(), drawingBegin, drawing, drawingEnd)
	fmt.Fprintf(&b, "## What must be seen\n\n| lock | outcome |\n|---|---|\n")
	for _, c := range n.Cases {
		fmt.Fprintf(&b, "| %s | %s |\n", c.Name(), c.Outcome())
	}
	b.WriteString(findingsOn(n))
	fmt.Fprintf(&b, "\n## Lesson\n\n%s\n\n", n.Lesson)
	fmt.Fprintf(&b, "## Play it\n\n    torture scenario run %s\n    torture scenario run %s --backend %s\n", n.Name, n.Name, n.Cases[0].Backend)
	return b.String()
}

// findingsOn tells what was found in libraries; "" if the scenario shows no failure of one.
func findingsOn(n namedScenario) string {
	found := n.Findings()
	if len(found) == 0 {
		return ""
	}
	text := "\n## Found in libraries\n\n| library | version | failure | rounds | documented upstream |\n|---|---|---|---|---|\n"
	for _, c := range found {
		f := c.Found
		text += fmt.Sprintf("| %s | %s | %s | %d of %d | %s |\n", f.Library, f.Version, f.Failure, f.Shown, f.Of, f.Upstream())
	}
	return text
}

func sentenceCase(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

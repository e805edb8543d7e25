package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"locktorture/internal/exit"
	"locktorture/report/serve"
	"locktorture/runs"
)

func newReport() *cobra.Command {
	var open bool
	cmd := &cobra.Command{
		Use:   "report RUNDIR...",
		Short: "judge recorded runs again and rewrite their reports",
		Long: `report judges recorded runs again and rewrites their result.json, junit.xml and
report.html. With --open, report also opens each report.html in a browser: the program
$BROWSER, or the default browser. With --open and without a directory, report uses the
latest run. With --open and the directory of a matrix, report only opens the score card.`,
		Example: "  torture report --open\n  torture report results/runs/20260101-120000.000-redlock-1",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && !open {
				return exit.Usage("report: a run directory is missing; for the latest run: torture report %s", runs.LatestRun)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = []string{runs.LatestRun}
			}
			for _, path := range args {
				var page string
				err := atOnce(cmd.Context(), func() (err error) {
					page, err = writePage(path, open)
					return err
				})
				if err != nil {
					return err
				}
				fmt.Fprintln(cmd.OutOrStdout(), page)
				if !open {
					continue
				}
				if err := openPage(page, cmd.ErrOrStderr()); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&open, "open", false, "open the reports in a browser")
	return cmd
}

// writePage writes the report of a run anew, and returns its path. That of a matrix may be
// looked at, and is not written.
func writePage(path string, look bool) (string, error) {
	if card := filepath.Join(path, serve.PageOfMatrix); look && serve.IsMatrix(path) {
		if _, err := os.Stat(card); err != nil {
			return "", exit.Usage("%v: the matrix has not ended; torture matrix --resume --out %s continues it", err, path)
		}
		return card, nil
	}
	return judgeAgain(path)
}

// openPage opens a page in the user's browser.
func openPage(page string, errOut io.Writer) error {
	path, err := filepath.Abs(page)
	if err != nil {
		return runs.Broken(err)
	}
	browser := os.Getenv("BROWSER")
	if browser == "" {
		browser = map[string]string{"darwin": "open"}[runtime.GOOS]
	}
	if browser == "" {
		browser = "xdg-open"
	}
	cmd := exec.Command(browser, path)
	cmd.Stderr = errOut
	if err := cmd.Run(); err != nil {
		return exit.Usage("--open: %v; set BROWSER, or open %s yourself, or use torture serve", err, page)
	}
	return nil
}

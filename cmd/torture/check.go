package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"locktorture/checker"
	"locktorture/checker/linear"
	"locktorture/report"
)

// A checkSpec is what the flags of a check say.
type checkSpec struct {
	Model  string
	Expect string
	JSON   bool
	HTML   bool
}

func newCheck() *cobra.Command {
	var s checkSpec
	cmd := &cobra.Command{
		Use:   "check RUNDIR|history.jsonl",
		Short: "judge a recorded run again",
		Long: `check reads a history and judges it again, without any server. A run directory
says in run.json what the lock had declared; a bare history is judged by the
flags, and its lock by the model that is named.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return checkOne(cmd, s, args[0]) },
	}
	f := cmd.Flags()
	f.StringVar(&s.Model, "model", "", "judge the lock by this model instead of the declared one (torture list models)")
	f.StringVar(&s.Expect, "expect", "", "GRADE[+anomaly...], as in torture run")
	f.BoolVar(&s.JSON, "json", false, "print one JSON object")
	f.BoolVar(&s.HTML, "html", false, "write result.json, junit.xml and report.html anew")
	return cmd
}

func checkOne(cmd *cobra.Command, s checkSpec, path string) error {
	expect, err := parseExpect(s.Expect)
	if err != nil {
		return err
	}
	run, dir, err := loadRun(path)
	if err != nil {
		return usage("%v", err)
	}
	if s.Model != "" {
		if err := knownModel(s.Model); err != nil {
			return err
		}
		run.Options.Model = s.Model
	}
	r, err := judge(dir.path, run.Options)
	if err != nil {
		return usage("%v", err)
	}
	run.Exit = exitCode(r, s.Expect, expect, nil, false)
	if s.HTML {
		if err := writeReports(run, r, dir); err != nil {
			return broken(err)
		}
	}
	if s.JSON {
		err = report.JSON(cmd.OutOrStdout(), run, r, dir.path)
	} else {
		err = report.Text(cmd.OutOrStdout(), run, r, colored(cmd.OutOrStdout()))
	}
	if err != nil {
		return broken(err)
	}
	if s.Expect != "" && !s.JSON {
		if d := expect.Differs(r); d != "" {
			fmt.Fprintf(cmd.OutOrStdout(), "not as expected: %s\n", d)
		}
	}
	if run.Exit != exitOK {
		return &exitError{code: run.Exit}
	}
	return nil
}

func parseExpect(s string) (checker.Expectation, error) {
	if s == "" {
		return checker.Expectation{}, nil
	}
	e, err := checker.ParseExpectation(s)
	if err != nil {
		return e, usage("--expect: %v", err)
	}
	return e, nil
}

// knownModel checks the name of a model.
func knownModel(name string) error {
	known := map[string]bool{}
	for _, m := range linear.Models() {
		known[m] = true
	}
	if !known[name] {
		return unknownName("model", name, known)
	}
	return nil
}

// loadRun reads run.json of a run directory; of a bare history it assumes a
// plain lock that declares nothing.
func loadRun(path string) (report.Run, *runDir, error) {
	info, err := os.Stat(path)
	if err != nil {
		return report.Run{}, nil, err
	}
	if !info.IsDir() {
		return bareRun(path), &runDir{name: filepath.Base(path), path: path}, nil
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	dir := &runDir{name: filepath.Base(path), path: path}
	var run report.Run
	if err := readJSON(dir.file("run.json"), &run); err != nil {
		return run, nil, fmt.Errorf("%s is no run directory: %w", path, err)
	}
	return run, dir, nil
}

// bareRun describes a history of which nothing else is known.
func bareRun(path string) report.Run {
	return report.Run{
		Name: filepath.Base(path), Backend: "unknown", Workload: "",
		CheckAgain: "torture check " + path,
		Options: checker.Options{
			Model: "mutex", FreeWithin: 6 * time.Second, Timeout: time.Minute, Memory: 2 << 30, MinGrants: 1,
		},
	}
}

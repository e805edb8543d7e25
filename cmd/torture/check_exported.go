package main

import (
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"locktorture/checker"
	"locktorture/checker/linear/jepsen"
	"locktorture/history"
	"locktorture/internal/exit"
	"locktorture/internal/plainfile"
	"locktorture/registry"
	"locktorture/report"
	"locktorture/runs"
	"locktorture/trial"
)

// isExported reports whether a file is what torture export wrote as EDN.
func isExported(path string) bool {
	f, err := plainfile.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	return jepsen.IsOurs(f)
}

// checkExported judges an exported run as the run that it is.
func checkExported(cmd *cobra.Command, s checkSpec, path string) error {
	expect, err := runs.ParseExpect(s.Expect)
	if err != nil {
		return err
	}
	if s.HTML {
		return exit.Usage("--html: %s is an exported history; torture writes reports only into run directories", path)
	}
	if err := refuse(cmd, flagsOfHistories, "only for a history without its run; "+path+" is an exported run"); err != nil {
		return err
	}
	run, h, cut, err := readExported(path)
	if err != nil {
		return exit.Usage("%s: %v", path, err)
	}
	run.Options.Model = cmp.Or(s.Model, run.Options.Model)
	r, err := checker.Judge(h, run.Options, registry.Invariant(run.Options.Workload))
	if err != nil {
		return exit.Usage("%s: %v", path, err)
	}
	if cut {
		r.Warnings = append(r.Warnings, trial.CutOff)
	}
	return told(cmd, s, expect, run, r, &trial.Dir{Name: run.Name, Path: path})
}

func readExported(path string) (run report.Run, h history.History, cut bool, err error) {
	f, err := plainfile.Open(path)
	if err != nil {
		return run, nil, false, err
	}
	defer f.Close()
	text, h, cut, err := jepsen.ReadOurs(f)
	if err != nil {
		return run, nil, cut, err
	}
	if err := json.Unmarshal(text, &run); err != nil {
		return run, nil, cut, fmt.Errorf("the run in its first entry: %w", err)
	}
	run.Recorded = true
	return run, h, cut, nil
}

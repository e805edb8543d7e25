package main

import (
	"os"
	"path/filepath"

	"locktorture/report/serve"
)

// notRun is the error of a path that is no run directory, and says what it is or where there
// are some.
func notRun(path string, err error) error {
	info, missing := os.Stat(path)
	switch {
	case missing != nil:
		return usage("%v; runs are in results/runs, and the newest is %s", err, latestRun)
	case serve.IsMatrix(path):
		return usage("%s is the directory of a matrix; its runs are in %s, and its page: torture report --open %s", path, filepath.Join(path, "runs"), path)
	case !info.IsDir():
		return usage("%v; a history alone is judged by: torture check %s", err, path)
	}
	return usage("%v; a run directory has run.json and history.jsonl", err)
}

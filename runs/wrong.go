package runs

import (
	"os"
	"path/filepath"

	"locktorture/internal/exit"
	"locktorture/report/serve"
)

// NotRun is the error of a path that is no run directory, and says what it is or where there
// are some.
func NotRun(path string, err error) error {
	info, missing := os.Stat(path)
	switch {
	case missing != nil:
		return exit.Usage("%v; runs are in results/runs, and the newest is %s", err, LatestRun)
	case serve.IsMatrix(path):
		return exit.Usage("%s is the directory of a matrix; its runs are in %s, and this command opens its score card: torture report --open %s", path, filepath.Join(path, "runs"), path)
	case !info.IsDir():
		return exit.Usage("%v; to judge only a history: torture check %s", err, path)
	}
	return exit.Usage("%v; a run directory has run.json and history.jsonl", err)
}

// LatestRun is what is shown where no run is named.
const LatestRun = "results/runs/latest"

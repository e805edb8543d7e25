package trial

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"locktorture/report"
)

// Prune removes the oldest runs of a base and keeps the newest keep ones. It returns the removed
// directories. It never touches a run in progress, or a directory that does not look like a run of
// this program.
func Prune(ctx context.Context, base string, keep int) (gone []string, err error) {
	list, err := os.ReadDir(base)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var runs []string
	for _, d := range list {
		if path := filepath.Join(base, d.Name()); d.IsDir() && made(path) {
			runs = append(runs, path)
		}
	}
	slices.Sort(runs) // the names begin with the time
	for _, run := range runs[:max(0, len(runs)-keep)] {
		if err := ctx.Err(); err != nil {
			return gone, err
		}
		if lives, err := Lives(run); lives || err != nil {
			continue
		}
		if err := os.RemoveAll(run); err != nil {
			return gone, err
		}
		gone = append(gone, run)
	}
	return gone, nil
}

// madeName matches the directory names that NewDir gives.
var madeName = regexp.MustCompile(`^\d{8}-\d{6}\.\d{3}-.+$`)

// made reports whether a directory is a run: its name matches madeName, and its run.json
// describes a run. Other programs have files of that name too.
func made(path string) bool {
	if !madeName.MatchString(filepath.Base(path)) {
		return false
	}
	var run report.Run
	return ReadJSON(filepath.Join(path, "run.json"), &run) == nil && run.Backend != "" && !run.Start.IsZero()
}

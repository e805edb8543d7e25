package inpod

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"locktorture/internal/exit"
	"locktorture/matrix"
	"locktorture/report/scorecard"
)

// The exit codes of a pod. What has a verdict, whichever it is, is done.
const (
	exitDone    = exit.OK
	ExitRefused = exit.BadUsage // it can never be: no other pod is tried
	exitFailed  = exit.Harness  // or ended before its time
)

// Cell returns what a pod does: it carries out the try of its index, prints what that came to,
// with its run directory, and returns the exit code of the pod. A pod that is told to end does
// so at once.
func Cell(ctx context.Context, out io.Writer, path string) (code int, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, exit.Usage("%v; torture matrix --on kubernetes starts it", err)
	}
	defer f.Close()
	round, err := ReadRound(f)
	if err != nil {
		return 0, exit.Usage("%v", err)
	}
	i, err := strconv.Atoi(os.Getenv(IndexEnv))
	if err != nil || i < 0 || i >= len(round.Cells) {
		return 0, exit.Usage("%s is %q, and there are %d cells", IndexEnv, os.Getenv(IndexEnv), len(round.Cells))
	}
	t := round.Cells[i]
	fmt.Fprintf(out, "torture: %s %s %s seed %d\n", t.Backend, t.Nemesis, t.Workload, t.Seed)
	// Commands in reports name the directory as it is where the matrix is.
	dir := "matrix"
	if filepath.IsLocal(round.Out) {
		dir = round.Out
	}
	cache, err := ownCache()
	if err != nil {
		return 0, exit.Broken(err)
	}
	here := &matrix.Processes{Out: dir, Wire: round.Wire, Env: append(os.Environ(), "XDG_CACHE_HOME="+cache), Jobs: 1}
	ended := make(chan scorecard.Try, 1)
	go func() { ended <- here.Try(ctx, t) }()
	select {
	case <-ctx.Done():
		return exitFailed, nil
	case t = <-ended:
	}
	fmt.Fprintf(out, "torture: %s\n", scorecard.TryLine(t))
	runDir := ""
	if t.Dir != "" {
		runDir = filepath.Join(dir, filepath.FromSlash(t.Dir))
	}
	if err := Print(out, t, runDir); err != nil {
		return 0, exit.Broken(err)
	}
	return podCode(t), nil
}

// ownCache returns a cache directory that can be written to, with what that of the image has.
func ownCache() (string, error) {
	of, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	own, err := filepath.Abs(".cache")
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(of); err != nil || of == own {
		return own, os.MkdirAll(own, 0o700)
	}
	return own, os.CopyFS(own, os.DirFS(of))
}

// podCode returns the exit code of a pod whose try came to this.
func podCode(t scorecard.Try) int {
	switch t.State {
	case scorecard.Tried, scorecard.DriverFailed:
		return exitDone
	case scorecard.NotPossible, scorecard.NotServed, scorecard.Refused:
		return ExitRefused
	}
	return exitFailed
}

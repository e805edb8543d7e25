package trial

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/kballard/go-shellquote"

	"locktorture/checker"
	"locktorture/report"
	"locktorture/report/page"
	"locktorture/wire"
)

// CutOff is the warning for a history whose last entry is incomplete.
const CutOff = "the last line of the history is cut off; unfinished operations count as unknown"

// Unsummed is the warning for a history whose end has no checksum.
const Unsummed = "the history has no checksum, because it was recorded before checksums existed: later changes cannot be detected"

// Judge reads the history of a run directory and judges it.
func Judge(path string, o checker.Options, inv checker.Invariant) (checker.Result, error) {
	h := HistoryOf(path)
	r, err := checker.Judge(h, o, inv)
	if err != nil {
		return r, err
	}
	if h.Truncated {
		r.Warnings = append(r.Warnings, CutOff)
	}
	if h.Unsummed {
		r.Warnings = append(r.Warnings, Unsummed)
	}
	return r, nil
}

// Load reads run.json of a run directory.
func Load(path string) (report.Run, *Dir, error) {
	if _, err := os.Stat(path); err != nil {
		return report.Run{}, nil, err
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	dir := &Dir{Name: filepath.Base(path), Path: path}
	var run report.Run
	if err := ReadJSON(dir.File("run.json"), &run); err != nil {
		return run, nil, fmt.Errorf("%s is not a run directory: %w", path, err)
	}
	run.Recorded = true
	return run, dir, nil
}

// Again judges a recorded run again, by the traits that its lock declared then. model, if not "",
// replaces the declared model. invariant looks up the invariant of a workload.
func Again(path, model string, invariant func(workload string) checker.Invariant) (report.Run, checker.Result, *Dir, error) {
	run, dir, err := Load(path)
	if err != nil {
		return run, checker.Result{}, nil, err
	}
	run.Options.Model = cmp.Or(model, run.Options.Model)
	r, err := Judge(dir.Path, run.Options, invariant(run.Options.Workload))
	return run, r, dir, err
}

// Write writes result.json, junit.xml and report.html. If one fails it still writes the others.
func Write(run report.Run, r checker.Result, dir *Dir) error {
	return WriteDecoded(run, r, dir, nil)
}

// WriteDecoded is Write with the decoders of the traffic; nil: Redis alone is decoded.
func WriteDecoded(run report.Run, r checker.Result, dir *Dir, decoder func(protocol string) wire.Decoder) error {
	if run.Recorded { // the directory may come from somebody else, and its command with it
		run.CheckAgain = CheckAgain(dir.Path)
	}
	return errors.Join(
		dir.WriteJSON("result.json", r),
		dir.write("junit.xml", func(w io.Writer) error { return report.JUnit(w, report.Cases(run, r)) }),
		dir.write("report.html", func(w io.Writer) error { return writePage(w, run, r, dir, decoder) }),
	)
}

// writePage writes the report, with drawings of the recorded traffic.
func writePage(w io.Writer, run report.Run, r checker.Result, dir *Dir, decoder func(protocol string) wire.Decoder) error {
	traffic, done, err := TrafficBy(dir, nil, decoder)
	if err != nil {
		return err
	}
	points, err := pointsOf(dir)
	if err != nil {
		return errors.Join(err, done())
	}
	return errors.Join(page.WriteTraced(w, run, r, HistoryOf(dir.Path), page.Recorded{Traffic: traffic, Points: points}), done())
}

// CheckAgain returns the command that judges a recorded run again.
func CheckAgain(path string) string { return "torture check " + shellquote.Join(path) }

// Write writes the reports of the outcome.
func (o *Outcome) Write() error { return WriteDecoded(o.Run, o.Result, o.Dir, o.decoder) }

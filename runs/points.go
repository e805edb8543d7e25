package runs

import (
	"fmt"
	"strings"

	"locktorture/internal/exit"
	"locktorture/internal/plainfile"
	"locktorture/nemesis/points/anchor"
	"locktorture/nemesis/points/schedule"
	"locktorture/trial"
)

// ReadPoints reads a schedule of points. It is nil if there is no file, or if its faults
// strike by time, which is for a trial to read.
func ReadPoints(path string) (schedule.Schedule, error) {
	if path == "" {
		return nil, nil
	}
	b, err := plainfile.Read(path, plainfile.Data)
	if err != nil {
		return nil, exit.Usage("--schedule: %v", err)
	}
	return parsePoints(path, b)
}

// PointsIn is ReadPoints of a run directory.
func PointsIn(dir *trial.Dir) (schedule.Schedule, error) {
	b, err := dir.Read(trial.PointsFile)
	if err != nil {
		return nil, err
	}
	return parsePoints(dir.File(trial.PointsFile), b)
}

func parsePoints(path string, b []byte) (schedule.Schedule, error) {
	first := firstLine(string(b))
	switch {
	case strings.HasPrefix(first, "{") || first == "" && len(b) == 0:
		return nil, nil
	case first == "" || strings.HasPrefix(first, "at "):
		s, err := schedule.Parse(string(b))
		if err != nil {
			return nil, exit.Usage("--schedule %s: %v", path, err)
		}
		return append(schedule.Schedule{}, s...), nil // not nil
	}
	return nil, exit.Usage("--schedule %s: %.40q is neither a line of a schedule.jsonl (a fault by time) nor a fault at a point, like %q (docs/explore.md)",
		path, first, "at c1 gate write #1: kill")
}

// firstLine is the first line that says something.
func firstLine(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			return line
		}
	}
	return ""
}

// strikesText says what the faults of a schedule of points have come to.
func strikesText(all []anchor.Strike) string {
	if len(all) == 0 {
		return ""
	}
	var b strings.Builder
	for i, s := range all {
		if !s.Struck {
			fmt.Fprintf(&b, "torture: fault %d did not take effect: %s (%s)\n", i+1, s.Why, s.Decision)
		}
	}
	fmt.Fprintf(&b, "torture: %d of %d faults of the schedule took effect\n", struck(all), len(all))
	return b.String()
}

// struck counts those that did.
func struck(all []anchor.Strike) (n int) {
	for _, s := range all {
		if s.Struck {
			n++
		}
	}
	return n
}

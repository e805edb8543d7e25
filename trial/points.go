package trial

import (
	"errors"
	"io/fs"
	"slices"
	"strings"

	"locktorture/nemesis/points/anchor"
	"locktorture/nemesis/points/schedule"
	"locktorture/report/page"
)

// PointsFile is the name of a schedule of points in a run directory.
const PointsFile = "schedule.txt"

// Further files of a schedule of points in a run directory.
const (
	CauseFile     = "cause.txt"      // how each fault contributes to the anomaly
	ConfirmedFile = "confirmed.json" // outcome of the trials on real servers
)

// pointsOf reads the files of a schedule of points from a run directory.
func pointsOf(dir *Dir) (p page.Points, err error) {
	for _, file := range []struct {
		name string
		to   *string
	}{{PointsFile, &p.Schedule}, {CauseFile, &p.Cause}} {
		text, err := dir.Read(file.name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return p, err
		}
		*file.to = string(text)
	}
	var confirmed struct {
		Verdict string `json:"verdict"`
	}
	if err := ReadJSON(dir.File(ConfirmedFile), &confirmed); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return p, err
	}
	p.Confirmed = confirmed.Verdict
	return p, nil
}

// direct returns the director of a schedule of points, and the names of its faults.
func (f Faults) direct(s Setting) (*anchor.Director, []string, error) {
	encrypted := s.Servers.Access != nil && s.Servers.Access.TLS != nil
	for i, d := range f.Points {
		if encrypted && d.At.Kind != schedule.Gate {
			return nil, nil, refuse(f.setting(), ": fault %d, %q: the connections are encrypted, so their messages have no names", i+1, d)
		}
	}
	director, err := anchor.New(f.Points, s.Servers.Cluster, s.World, f.Known, f.Names)
	if err != nil {
		return nil, nil, refuse(f.setting(), ": %v", err)
	}
	director.Least = f.Least
	names := []string{}
	for _, step := range director.Steps() {
		if why, ok := f.Unfit[step.Fault]; ok && len(step.Clients) > 0 {
			return nil, nil, refuse(f.setting(), ": fault %d: %s is not possible here: %s", step.N, step.Fault, why)
		}
		if !slices.Contains(names, step.Fault) {
			names = append(names, step.Fault)
		}
	}
	return director, names, nil
}

// setting returns the flag of the schedule, for error messages.
func (f Faults) setting() string { return strings.TrimSpace("schedule " + f.Schedule) }

// Strikes returns, after the work, the outcome of each fault of a schedule of points; nil if
// there is no such schedule.
func (w *Work) Strikes() []anchor.Strike {
	if w.points == nil {
		return nil
	}
	return w.points.Strikes()
}

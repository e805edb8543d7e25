package session

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"locktorture/checker"
	"locktorture/explore/kept"
	"locktorture/internal/exit"
	"locktorture/internal/suggest"
	"locktorture/nemesis/points/schedule"
	"locktorture/registry"
	"locktorture/runs"
	"locktorture/simulate/search"
	"locktorture/trial"
)

// A Confirm holds the settings of torture confirm, as the flags give them.
type Confirm struct {
	run    runs.Spec // settings of the run of each round
	flags  *pflag.FlagSet
	Rounds int
	Need   int
	Find   []string
	Exact  bool
	// Stretch is the factor for all times. 0 means the factor that the schedule needs.
	Stretch int
	JSON    bool

	own *kept.Lock // lock of the user's test with which the run was played; nil: a lock of torture
}

// confirmFlags returns the names of the flags of torture run that torture confirm has as well.
func confirmFlags() []string {
	return []string{"backend", "option", "workload", "clients", "ttl", "duration", "hold", "think", "seed", "fencing", "careful", "locks", "keys",
		"sections", "wait", "free-within", "min-grants", "cluster", "image", "dir", "quiet"}
}

// NewConfirm returns a Confirm whose flags have the defaults of a simulated run. commit
// identifies the source of this build.
func NewConfirm(commit string) *Confirm {
	s := &Confirm{flags: pflag.NewFlagSet("", pflag.ContinueOnError)}
	s.run.Register(s.flags)
	s.run.Commit = commit
	for name, value := range map[string]string{
		"backend": "", "workload": "counter", "clients": "3", "ttl": "500ms", "duration": "2s", "hold": "50ms", "think": "20ms", "seed": "1", "min-grants": "5",
	} {
		f := s.flags.Lookup(name)
		_ = f.Value.Set(value) // cannot fail: each value has the type of its flag
		f.DefValue, f.Usage = value, withoutDefault(f.Usage)
	}
	return s
}

// withoutDefault returns the usage of a flag without the default at its end.
func withoutDefault(usage string) string {
	if before, _, ok := strings.Cut(usage, "; default "); ok {
		return before + ")"
	}
	before, _, _ := strings.Cut(usage, " (default")
	return before
}

// Register adds the flags of torture confirm to f.
func (s *Confirm) Register(f *pflag.FlagSet) {
	f.IntVar(&s.Rounds, "rounds", 10, "number of rounds")
	f.IntVar(&s.Need, "need", 0, "number of rounds that must count (default: four in five)")
	f.StringSliceVar(&s.Find, "find", nil, "`anomalies` to look for, comma separated (default: the anomalies of the run; for a schedule: all anomalies that are the lock's fault, which excludes overruns)")
	f.BoolVar(&s.Exact, "exact", false, "use all times exactly as written")
	f.IntVar(&s.Stretch, "stretch", 0, "factor for all times (default: 4 if a fault stops or restarts a server or moves its clock, else 1)")
	f.BoolVar(&s.JSON, "json", false, "print one JSON object (docs/files.md)")
	for _, name := range confirmFlags() {
		f.AddFlag(s.flags.Lookup(name))
	}
}

// Check returns a usage error for settings that are impossible or that contradict each other.
func (s Confirm) Check() error {
	switch {
	case s.Rounds < 1:
		return exit.Usage("--rounds %d: at least one is needed", s.Rounds)
	case s.Need < 0 || s.Need > s.Rounds:
		return exit.Usage("--need %d: must be from 1 to --rounds, which is %d", s.Need, s.Rounds)
	case s.Stretch < 0 || s.Stretch > mostStretch:
		return exit.Usage("--stretch %d: must be from 1 to %d, or 0 for the default", s.Stretch, mostStretch)
	case s.Exact && s.Stretch > 1:
		return exit.Usage("--exact and --stretch %d: use only one of them", s.Stretch)
	case s.run.Backend == "":
		return exit.Usage("--backend is missing: which lock does the schedule break?")
	}
	for _, kind := range s.Find {
		if !slices.Contains(checker.Kinds(), kind) {
			return exit.Usage("--find: %v", suggest.Among(kind, checker.Kinds()))
		}
	}
	return s.run.ServerSpec.Check("each round starts servers of its own")
}

// Run plays the rounds. path names a file with their schedule, or a run directory that has
// one.
func (s *Confirm) Run(cmd runs.Command, known map[string]registry.Backend, path string) error {
	faults, err := s.read(cmd, path)
	if err != nil {
		return err
	}
	if err := s.Check(); err != nil {
		return err
	}
	least := time.Duration(0)
	if !s.Exact {
		if faults, least, err = s.slower(faults); err != nil {
			return err
		}
	}
	s.Need = cmp.Or(s.Need, (4*s.Rounds+4)/5)
	b, err := s.backend(known)
	if err != nil {
		return err
	}
	if _, err := s.run.Validate(b, []string{s.run.Workloads}); err != nil {
		return err
	}
	s.run.Wire = runs.NoWire
	r := runs.Run{Spec: s.run, Lock: b, Workload: s.run.Workloads, Seed: s.run.FirstSeed, Named: true, Points: faults, Least: least}
	if s.own != nil {
		r.Own = s.own
	}
	return s.play(cmd, r, path)
}

// backend returns the lock of the rounds.
func (s *Confirm) backend(known map[string]registry.Backend) (registry.Backend, error) {
	if s.own == nil {
		return s.run.Lookup(known)
	}
	if err := s.own.Check(); err != nil {
		return registry.Backend{}, exit.Usage("%v", err)
	}
	return ownBackend(s.own), nil
}

// read returns the schedule in path. From a run directory it also takes the flags and the
// anomalies that the command line does not name.
func (s *Confirm) read(cmd runs.Command, path string) (schedule.Schedule, error) {
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		faults, err := runs.ReadPoints(path)
		if err == nil && len(faults) == 0 {
			err = exit.Usage("%s has no faults at points (docs/explore.md)", path)
		}
		return faults, err
	}
	r, dir, err := trial.Load(path)
	if err != nil {
		return nil, runs.NotRun(path, err)
	}
	faults, err := runs.PointsIn(dir)
	switch {
	case err != nil:
		return nil, exit.Usage("%s has no schedule of points to replay: %v", path, err)
	case len(faults) == 0:
		return nil, exit.Usage("%s had no faults, so there is nothing to test on real servers", path)
	}
	if s.own, err = ownOf(dir.Path); err != nil {
		return nil, err
	}
	if err := s.take(cmd, r); err != nil {
		return nil, err
	}
	if len(s.Find) > 0 {
		return faults, nil
	}
	_, result, _, err := trial.Again(path, "", registry.Invariant)
	if err != nil {
		return nil, runs.NotRun(path, err)
	}
	if s.Find = search.Kinds(result, nil); len(s.Find) == 0 {
		return nil, exit.Usage("%s shows no anomaly that is the lock's fault; choose another anomaly with --find", path)
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "looking for %s, as in %s\n", runs.OrNone(s.Find), path)
	return faults, nil
}

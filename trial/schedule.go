package trial

import (
	"bufio"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"locktorture/internal/plainfile"
	"locktorture/internal/suggest"
	"locktorture/locks"
	"locktorture/nemesis"
)

// draw draws the schedule from the seed. It uses a random stream of its own, so that the work
// of the processes does not change it.
func (w *Work) draw(world *nemesis.World) ([]nemesis.Step, error) {
	if len(w.kinds) == 0 {
		return nil, nil
	}
	steps, err := w.drawFor(world, w.Duration)
	if errors.As(err, new(*nemesis.NoRoomError)) {
		return nil, refuse("duration ", "%v%s", err, w.enough(world))
	}
	if err != nil {
		return nil, refuse("", "%v", err)
	}
	return steps, nil
}

func (w *Work) drawFor(world *nemesis.World, duration time.Duration) ([]nemesis.Step, error) {
	return nemesis.Plan(rand.New(rand.NewPCG(w.Seed, 0)), world, w.kinds, duration)
}

// enough returns a duration that has room for all faults, in steps of half a TTL; "" if none of
// the durations that it tries does.
func (w *Work) enough(world *nemesis.World) string {
	const tries = 200
	step := max(world.TTL/2, time.Millisecond)
	for i := range tries {
		longer := w.Duration.Truncate(step) + time.Duration(i+1)*step
		if _, err := w.drawFor(world, longer); err == nil {
			return "; " + longer.String() + " is enough"
		}
	}
	return ""
}

// read returns the stored schedule, and the names of its faults.
func (f Faults) read(world *nemesis.World) ([]nemesis.Step, []string, error) {
	file, err := plainfile.Open(f.Schedule)
	if err != nil {
		return nil, nil, refuse("schedule", ": %v", err)
	}
	defer file.Close()
	steps, err := nemesis.ReadSchedule(bufio.NewReader(file), world, f.Known)
	if err != nil {
		return nil, nil, refuse("schedule "+f.Schedule, ": %v%s", err, f.hint(err))
	}
	var used []string
	for _, s := range steps {
		if err := f.Known[s.Fault].Supports(world); err != nil {
			return nil, nil, refuse("schedule "+f.Schedule, ": fault %d: %s is not possible here: %v", s.N, s.Fault, err)
		}
		if why, ok := f.Unfit[s.Fault]; ok && len(s.Clients) > 0 {
			return nil, nil, refuse("schedule "+f.Schedule, ": fault %d: %s is not possible here: %s", s.N, s.Fault, why)
		}
		if !slices.Contains(used, s.Fault) {
			used = append(used, s.Fault)
		}
	}
	return steps, used, nil
}

// hint returns a text to add to an error about an unknown fault.
func (f Faults) hint(err error) string {
	var unknown *nemesis.UnknownError
	if !errors.As(err, &unknown) {
		return ""
	}
	names := slices.Sorted(maps.Keys(f.Known))
	if near := suggest.Nearest(unknown.Fault, names); near != "" {
		return "; did you mean " + near + "?"
	}
	return "; there are " + strings.Join(names, ", ")
}

// lateHeal bounds how much longer than its step a fault of real clocks is in place: its effect is
// observed first, and a sleep and the command that heals it take their time on a busy machine.
const lateHeal = 500 * time.Millisecond

// FarthestClock returns the farthest jump of a clock. It is added to the time within which a
// lock must become free: a key set while the clock was ahead lives longer by that much once the
// clock is right again, and the lock is not to blame. A clock that runs fast does so for at most
// late longer than its step says.
func FarthestClock(t locks.Traits, steps []nemesis.Step, late time.Duration) (farthest time.Duration) {
	if t.LeastTTL == 0 {
		return 0
	}
	for _, s := range steps {
		jump := max(s.Offset, -s.Offset)
		if s.Rate > 1 {
			jump += time.Duration(float64(s.For+late) * (s.Rate - 1))
		}
		farthest = max(farthest, jump)
	}
	return farthest
}

// writeSchedule writes the schedule of the faults, by time or by points.
func (w *Work) writeSchedule(d *Dir) error {
	if w.points != nil {
		return d.WriteText(PointsFile, w.Faults.Points.String())
	}
	f, err := d.Create("schedule.jsonl")
	if err != nil {
		return err
	}
	defer f.Close()
	return nemesis.WriteSchedule(f, w.steps)
}

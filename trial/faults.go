package trial

import (
	"errors"
	"fmt"
	"time"

	"locktorture/nemesis"
	"locktorture/nemesis/points/schedule"
)

// Faults are those that a run is to suffer.
type Faults struct {
	Wanted []string
	Known  map[string]nemesis.Nemesis // those that Wanted, or a schedule, may name
	// Lenient leaves out those of Wanted that are not possible here, and says so; else the
	// first is an error.
	Lenient bool
	// Unfit says why this lock, or the way in which it is run, cannot suffer a fault, by its
	// name.
	Unfit map[string]string
	// Schedule is the file of a stored schedule, instead of a drawn one.
	Schedule string
	// Points is a schedule of points, instead of either; nil: there is none.
	Points schedule.Schedule
	// Least is how long the phase with a schedule of points lasts at the least, where it ends
	// one TTL after the last of its faults; 0: it does not end before its time.
	Least time.Duration
}

// choose picks what is possible in this world.
func (f Faults) choose(w *nemesis.World) (map[string]nemesis.Nemesis, []string, error) {
	if f.Schedule != "" || f.Points != nil {
		return f.Known, nil, nil
	}
	chosen := map[string]nemesis.Nemesis{}
	var leftOut []string
	for _, name := range f.Wanted {
		n, ok := f.Known[name]
		if !ok {
			return nil, nil, refuse("nemesis "+name, ": there is no such fault")
		}
		why := n.Supports(w)
		if unfit, ok := f.Unfit[name]; why == nil && ok {
			why = errors.New(unfit)
		}
		switch {
		case why == nil:
			chosen[name] = n
		case f.Lenient:
			leftOut = append(leftOut, fmt.Sprintf("%s (%v)", name, why))
		default:
			return nil, nil, refuse("nemesis "+name, " is not possible here: %v", why)
		}
	}
	return chosen, leftOut, nil
}

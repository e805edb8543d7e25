package trial

import (
	"errors"
	"fmt"
	"time"

	"locktorture/nemesis"
	"locktorture/nemesis/points/anchor"
	"locktorture/nemesis/points/schedule"
)

// A Faults lists the faults that a run suffers.
type Faults struct {
	Wanted []string
	Known  map[string]nemesis.Nemesis // the faults that Wanted or a schedule may name
	// Lenient skips faults of Wanted that are impossible here, with a notice. Otherwise the
	// first such fault is an error.
	Lenient bool
	// Unfit maps the name of a fault to the reason why this lock, or this way to run it, cannot
	// suffer the fault.
	Unfit map[string]string
	// Schedule is the file of a stored schedule, which replaces a drawn one; "": there is none.
	Schedule string
	// Points is a schedule of points, which replaces both; nil: there is none.
	Points schedule.Schedule
	// Names names the messages of protocols other than Redis, for Points.
	Names anchor.Names
	// Least is the least length of the phase with a schedule of points, which otherwise ends
	// one TTL after its last fault; 0: the phase never ends early.
	Least time.Duration
}

// choose returns the faults that are possible in this world.
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

package runs

import (
	"slices"

	"locktorture/internal/hostclock"
	"locktorture/nemesis"
	"locktorture/registry"
	"locktorture/trial"
)

// unfit notes why this lock, or the way in which it is run, cannot suffer a fault.
func (s Run) unfit(f trial.Faults, name string, n nemesis.Nemesis) {
	switch {
	case s.InProcess && n.Traits().NeedsProcess:
		f.Unfit[name] = "the clients run in-process"
	case f.Unfit[name] == "" && n.Traits().MovesClientClock && s.Lock.HostTime:
		if why := hostClockAway(s.Lock); why != "" {
			f.Unfit[name] = s.Name() + " asks the host for the time" + why
		}
	}
}

// hostClockAway says why the wall clock of a client's process cannot be moved; "" if it can.
// A driver's clock is its own affair: torture does not know how it reads the time.
func hostClockAway(b registry.Backend) string {
	if b.Driver != nil {
		return ", so its clock cannot be set"
	}
	if err := hostclock.Supported(); err != nil {
		return ": " + err.Error()
	}
	return ""
}

// movesHostClock reports whether a fault of the run may move the wall clock of a client's
// process.
func (s Run) movesHostClock() bool {
	moves := s.Schedule != "" || s.Points != nil || slices.Contains(s.Nemesis, "all")
	for _, name := range s.Nemesis {
		n, ok := registry.Nemeses()[name]
		moves = moves || ok && n.Traits().MovesClientClock
	}
	return moves && s.Lock.HostTime && hostClockAway(s.Lock) == ""
}

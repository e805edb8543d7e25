package runs

import (
	"strings"
	"testing"

	"locktorture/internal/hostclock"
	"locktorture/nemesis"
	"locktorture/registry"
	"locktorture/trial"
)

// TestUnfitForClocks refuses to move the clock of a lock that asks the host for the time where
// that of its process cannot be moved.
func TestUnfitForClocks(t *testing.T) {
	library := registry.Backend{Name: "library", HostTime: true}
	driver := registry.Backend{Name: "driver", HostTime: true, Driver: &registry.Driver{}}
	ours := registry.Backend{Name: "ours"}
	here := hostclock.Supported() == nil
	for _, tt := range []struct {
		lock        registry.Backend
		moves, host bool // the fault is possible; it moves the clock of the process
	}{{library, here, here}, {driver, false, false}, {ours, true, false}} {
		s := Run{Lock: tt.lock}
		s.Nemesis = []string{"client-clock"}
		f := trial.Faults{Unfit: map[string]string{}}
		s.unfit(f, "client-clock", nemesis.ClientClock{})
		if why := f.Unfit["client-clock"]; (why == "") != tt.moves || !tt.moves && !strings.Contains(why, "asks the host") {
			t.Errorf("%s: unfit because %q", tt.lock.Name, why)
		}
		if got := s.movesHostClock(); got != tt.host {
			t.Errorf("%s: moves the clock of the process: %t", tt.lock.Name, got)
		}
		if s.Nemesis = []string{"pause"}; s.movesHostClock() {
			t.Errorf("%s: moves clocks under pause", tt.lock.Name)
		}
	}
}

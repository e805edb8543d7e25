package sweep

import (
	"slices"
	"strings"
	"testing"
	"time"

	"locktorture/nemesis"
	"locktorture/workloads"
)

func faults(t *testing.T, stops string) Faults {
	t.Helper()
	s, err := workloads.ParseSpread(stops)
	if err != nil {
		t.Fatal(err)
	}
	return Faults{Stops: s, Seed: 1, Clients: 5}
}

// TestDeathsHaveRoom: after each death the longest TTL can pass before the next fault, and
// before the end.
func TestDeathsHaveRoom(t *testing.T) {
	const duration, longest = 55 * time.Second, 5 * time.Second
	steps, err := faults(t, "lognormal:300ms,5s").draw(duration, longest)
	if err != nil {
		t.Fatal(err)
	}
	stops, deaths := 0, 0
	for i, s := range steps {
		end := duration
		if i+1 < len(steps) {
			end = steps[i+1].At
		}
		switch s.Fault {
		case stop:
			stops++
			if s.At+s.For > end && s.For < duration {
				t.Errorf("stop %d lasts until %s, and the next fault is due at %s", s.N, s.At+s.For, end)
			}
		case death:
			deaths++
			if end-s.At <= longest {
				t.Errorf("after death %d there are %s, with a TTL of %s", s.N, end-s.At, longest)
			}
		}
	}
	if stops < 15 || deaths < leastDeaths {
		t.Errorf("%d stops and %d deaths", stops, deaths)
	}
}

// TestSameSeedSameFaults: each TTL of a sweep, and the sweep that runs again, gets the same.
func TestSameSeedSameFaults(t *testing.T) {
	f := faults(t, "exp:200ms")
	once, err := f.draw(20*time.Second, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	again, _ := f.draw(20*time.Second, time.Second)
	if !slices.EqualFunc(once, again, func(a, b nemesis.Step) bool { return a.At == b.At && a.For == b.For && a.Clients[0] == b.Clients[0] }) {
		t.Error("the same seed draws other faults")
	}
	f.Seed = 2
	if other, _ := f.draw(20*time.Second, time.Second); other[len(other)-1].For == once[len(once)-1].For {
		t.Error("another seed draws the same")
	}
}

// TestNoRoom: a time too short says how long it must be, and that is long enough.
func TestNoRoom(t *testing.T) {
	f := faults(t, "200ms")
	_, err := f.draw(10*time.Second, 10*time.Second)
	if err == nil || !strings.Contains(err.Error(), "at least 49s") {
		t.Fatalf("10 s for a TTL of 10 s: %v", err)
	}
	if _, err := f.draw(49*time.Second, 10*time.Second); err != nil {
		t.Error(err)
	}
}

package simulate_test

import (
	"strings"
	"testing"
	"time"

	"locktorture/simulate"
	"locktorture/simulate/inside"
	"locktorture/trial"
)

// askedBefore plays redlock, whose only client is struck as it sends its second SET to the second
// server, and returns which servers that SET had reached by the time at which the client stood still.
func askedBefore(t *testing.T, what string, late time.Duration) (all [6]bool) {
	t.Helper()
	sets, came, now := [6]int{}, [6]int64{}, int64(0)
	o := faulted("redlock")
	o.Clients, o.Fencing = 1, trial.UsualFencing(inside.Locks()["redlock"].Traits)
	r, err := simulate.Run(t.Context(), simulate.Config{
		Order: o, Program: guest(t), Servers: servers(t, "redlock"), Schedule: parsed(t, "at c1 send SET redis-2 #2: "+what), Late: late,
		Clock: func(at int64) { now = at },
		Served: func(_, node int, request []byte, _ func(string) ([]byte, error)) error {
			if strings.Contains(strings.ToUpper(string(request)), "\r\nSET\r\n") {
				if sets[node]++; sets[node] == 2 {
					came[node] = now
				}
			}
			return nil
		},
	})
	must(t, err)
	s := r.Struck[0]
	if s.Why != "" || s.At == simulate.Never {
		t.Fatalf("%s: %+v", what, s)
	}
	for node := range all {
		all[node] = came[node] > 0 && came[node] < s.At
	}
	return all
}

// A client that a signal reaches late has sent its other requests by then, and the one that it
// was struck at waits. At once is before any of them has arrived.
func TestLateSignal(t *testing.T) {
	for _, what := range []string{"pause for=100ms", "kill"} {
		if at := askedBefore(t, what, 0); at != [6]bool{} {
			t.Errorf("%s at once: a SET had arrived: %v", what, at)
		}
		if at := askedBefore(t, what, 500*time.Microsecond); at != [6]bool{1: true, 3: true, 4: true, 5: true} {
			t.Errorf("%s, late: had arrived: %v, want all but at server 2", what, at)
		}
	}
}

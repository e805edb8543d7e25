package harness

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"locktorture/history"
	"locktorture/locks"
	"locktorture/nemesis"
)

// TestReviveOutlastsFaults shows that a client tries to open its lock for as long as a fault is in
// place, and for openLimit without one.
func TestReviveOutlastsFaults(t *testing.T) {
	tests := []struct {
		name   string
		healed time.Duration // time of the heal; 0: no fault
		opens  time.Duration // time from which the lock can be opened
		tail   bool
		gives  time.Duration // time at which the client gives up; 0: it opens its lock
	}{
		{name: "slow", opens: 29 * time.Second},
		{name: "no server", opens: time.Hour, gives: 30 * time.Second},
		{name: "long fault", healed: 5 * time.Minute, opens: 5*time.Minute + 29*time.Second},
		{name: "no server after a fault", healed: 5 * time.Minute, opens: time.Hour, gives: 5*time.Minute + 30*time.Second},
		{name: "outage in the tail", healed: 5 * time.Minute, opens: time.Hour, tail: true, gives: 30 * time.Second},
		{name: "end of the run", healed: time.Hour, opens: time.Hour, gives: 10 * time.Minute},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				r, err := New(Config{
					Clients: 1, Fencing: FencingOff, World: &nemesis.World{Nodes: []nemesis.Node{aServer{}}}, Now: func() int64 { return 0 },
					Record: func(op history.Op) (history.Op, error) { return op, nil },
					Open: func(context.Context, int, int) (locks.Locker, error) {
						if time.Since(start) < tt.opens {
							return nil, errors.New("no server")
						}
						return slowDeath{}, nil
					},
				})
				if err != nil {
					t.Fatal(err)
				}
				r.tail.begun = tt.tail
				if step := (nemesis.Step{N: 1, Fault: "restart", Nodes: []int{0}}); tt.healed > 0 {
					r.faults.Struck(step, "killed")
					time.AfterFunc(tt.healed, func() { r.faults.Healed(step) })
				}
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
				defer cancel()
				err = r.clients[0].life.revive(ctx)
				took, want := time.Since(start).Round(time.Second), tt.opens
				if tt.gives > 0 {
					want = tt.gives
				}
				if (err != nil) != (tt.gives > 0) || took != want {
					t.Errorf("it ended after %v, want %v: %v", took, want, err)
				}
			})
		})
	}
}

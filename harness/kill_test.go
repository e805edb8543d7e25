package harness

import (
	"context"
	"errors"
	"testing"
	"time"

	"locktorture/history"
	"locktorture/locks"
)

// A slowDeath is a process that takes a moment to die, and whose killer may
// lose patience.
type slowDeath struct {
	locks.Locker
	takes time.Duration
}

func (slowDeath) Pause(context.Context) error  { return nil }
func (slowDeath) Resume(context.Context) error { return nil }

func (d slowDeath) Kill(ctx context.Context) error {
	select {
	case <-time.After(d.takes):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// A client whose kill has begun is dead, also when the phase ends before its
// end was seen: nothing of it may start after that.
func TestKillIsCarriedThrough(t *testing.T) {
	var recorded history.History
	r := &Run{cfg: Config{
		Now:    func() int64 { return 7 },
		Record: func(op history.Op) (history.Op, error) { recorded = append(recorded, op); return op, nil },
	}}
	c := &client{run: r, number: 1, alive: true, locker: slowDeath{takes: 30 * time.Millisecond}}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Kill(ended); err != nil {
		t.Errorf("kill: %v", err)
	}
	if len(recorded) != 1 || recorded[0].F != history.Crash || recorded[0].UntilMin != 7 {
		t.Errorf("recorded %+v, want one crash", recorded)
	}
	if _, err := c.invoke(history.Op{F: history.Read}); !errors.Is(err, errDead) {
		t.Errorf("an operation after the kill: %v", err)
	}
}

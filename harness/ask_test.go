package harness_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"locktorture/history"
	"locktorture/locks"
	"locktorture/locks/control"
)

// mute is a lock whose leases do not answer how long they are valid.
type mute struct{ locks.Locker }

func (m mute) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	l, err := m.Locker.Acquire(ctx, name)
	if err != nil {
		return nil, err
	}
	return muteLease{l}, nil
}

type muteLease struct{ locks.Lease }

func (muteLease) Ask(context.Context) (time.Duration, error) { return 0, errors.New("no answer") }

// TestUnansweredAsk: the first question about a lease ends the process that
// asked it, if its answer is unknown. The history goes on in order.
func TestUnansweredAsk(t *testing.T) {
	at := local(t)
	x := trial{
		traits: locks.Traits{Model: "mutex", Bounded: true}, enough: granted(3), careful: true,
		open: func(_ context.Context, _, process int) (locks.Locker, error) {
			o := at
			o.Process = process
			return mute{control.NewLocal(control.LocalConfig{Addr: o.Endpoints[0], Owner: o.Owner()})}, nil
		},
	}
	h := x.carryOut(t)
	asked := 0
	for _, op := range h {
		if op.F == history.Ask && op.Type == history.Info {
			asked++
		}
		if op.F == history.Read && op.Process >= 0 {
			t.Fatalf("a careful client works although it does not know that it may: %+v", op)
		}
	}
	if !granted(3)(h) || asked < 6 {
		t.Errorf("%d questions without an answer, want two for each grant", asked)
	}
}

package harness

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"locktorture/history"
	"locktorture/locks"
)

// A collecting client stops its world a moment after it was told to: nothing is answered then.
type collecting struct {
	locks.Locker
	mu sync.Mutex // held while the world is stopped
}

func (r *collecting) Collect(_ context.Context, least time.Duration) (time.Duration, error) {
	time.Sleep(time.Second) // to fill the heap; the bubble's clock
	r.mu.Lock()
	defer r.mu.Unlock()
	time.Sleep(least)
	return least, nil
}

func (r *collecting) Echo(context.Context) error {
	for !r.mu.TryLock() {
		time.Sleep(time.Millisecond)
	}
	r.mu.Unlock()
	return nil
}

// TestCollect shows that a stop of the world is a pause of the client in the history, from
// when it was seen to its end, and that filling the heap before is none.
func TestCollect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		now := func() int64 { return int64(time.Since(start)) }
		var recorded history.History
		r := &Run{cfg: Config{
			Now: now,
			Record: func(op history.Op) (history.Op, error) {
				op.Time = now()
				recorded = append(recorded, op)
				return op, nil
			},
		}}
		r.faults = newFaults(r)
		s := &Script{run: r}
		c := &Scripted{script: s, client: newClient(r, 2)}
		c.client.life.locker = &collecting{}
		k := c.Collect(t.Context(), 3*time.Second)
		<-k.Stopped()
		if at := time.Since(start); at < time.Second || at > time.Second+2*silent {
			t.Errorf("the world was seen to stand still after %v", at)
		}
		select {
		case <-k.Done():
			t.Error("it is over as it begins")
		default:
		}
		<-k.Done()
		if took, err := k.Took(); err != nil || took != 3*time.Second {
			t.Errorf("the runtime says %v, %v", took, err)
		}
		if len(recorded) != 2 || recorded[0].F != history.Fault || recorded[0].Key != "pause" || recorded[0].Client != 2 || recorded[1].F != history.Heal {
			t.Fatalf("recorded %+v, want a pause of client 2 and its end", recorded)
		}
		if healed := time.Duration(recorded[1].Time); healed < 4*time.Second || healed > 4*time.Second+silent {
			t.Errorf("healed after %v, want when the world went on", healed)
		}
	})
}

// TestCollectInProcess refuses to stop the world of the harness.
func TestCollectInProcess(t *testing.T) {
	c := &Scripted{client: newClient(&Run{}, 1)}
	k := c.Collect(t.Context(), time.Second)
	<-k.Done()
	if _, err := k.Took(); !errors.Is(err, errInProcess) {
		t.Errorf("%v, want %v", err, errInProcess)
	}
}

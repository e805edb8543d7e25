package harness

import (
	"context"
	"errors"
	"testing"
	"time"

	"locktorture/history"
	"locktorture/locks"
	"locktorture/nemesis"
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
	c := newClient(r, 1)
	c.life.alive, c.life.locker = true, slowDeath{takes: 30 * time.Millisecond}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.target.Kill(ended); err != nil {
		t.Errorf("kill: %v", err)
	}
	if len(recorded) != 1 || recorded[0].F != history.Crash || recorded[0].UntilMin != 7 {
		t.Errorf("recorded %+v, want one crash", recorded)
	}
	if _, err := c.life.invoke(history.Op{F: history.Read}); !errors.Is(err, errDead) {
		t.Errorf("an operation after the kill: %v", err)
	}
}

// TestFaultsOfTheDead shows that each fault of a dead client, whose successor has not opened its
// lock yet, strikes nobody, and leaves the gate open for the successor.
func TestFaultsOfTheDead(t *testing.T) {
	for name, strike := range map[string]func(*target) error{
		"pause": func(c *target) error { _, _, err := c.Pause(t.Context()); return err },
		"kill":  func(c *target) error { _, err := c.Kill(t.Context()); return err },
		"clock": func(c *target) error { _, err := c.SkewClock(t.Context(), time.Second); return err },
	} {
		c := newClient(&Run{}, 1)
		c.life.locker = slowDeath{}
		if err := strike(&c.target); !errors.Is(err, nemesis.ErrNotStruck) {
			t.Errorf("%s: %v", name, err)
		}
		if c.gate.isShut() != nil {
			t.Errorf("%s: the gate is shut", name)
		}
	}
}

// A lateAnswer is a lock whose grant is read while the kill of its client is under way.
type lateAnswer struct {
	slowDeath
	asked, struck, answered chan struct{}
}

func (l lateAnswer) Acquire(context.Context, string) (locks.Lease, error) {
	close(l.asked)
	<-l.struck
	defer close(l.answered)
	return noLease{}, nil
}

func (l lateAnswer) Kill(ctx context.Context) error {
	close(l.struck)
	<-l.answered
	return l.slowDeath.Kill(ctx)
}

type noLease struct{ locks.Lease }

// An answer that is read after the kill says nothing for certain: the service may have seen the
// end of the process, and have given its lock to another.
func TestGrantOfOneThatWasKilled(t *testing.T) {
	var recorded history.History
	r, err := New(Config{
		Clients: 1, TTL: time.Minute, Fencing: FencingOff, World: &nemesis.World{},
		Now:    func() int64 { return 7 },
		Record: func(op history.Op) (history.Op, error) { recorded = append(recorded, op); return op, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	l := lateAnswer{slowDeath{takes: 100 * time.Millisecond}, make(chan struct{}), make(chan struct{}), make(chan struct{})}
	c := r.clients[0]
	c.life.alive, c.life.locker = true, l
	ended := make(chan error)
	go func() {
		_, err := c.acquire(t.Context(), "L", false, locks.Claim{})
		ended <- err
	}()
	<-l.asked
	if _, err := c.target.Kill(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; !errors.Is(err, errDead) {
		t.Errorf("the section of the dead: %v", err)
	}
	if last := recorded[len(recorded)-1]; len(recorded) != 3 || recorded[1].F != history.Crash || last.F != history.Acquire || last.Type != history.Info {
		t.Errorf("recorded %+v, want a call, a crash, and no answer", recorded)
	}
}

package harness

import (
	"context"
	"errors"
	"fmt"
	"time"

	"locktorture/history"
	"locktorture/nemesis"
)

var (
	_ nemesis.Client        = (*target)(nil)
	_ nemesis.ClockedClient = (*target)(nil)
)

// errInProcess refuses a fault that needs a separate process for the client.
var errInProcess = errors.New("the client has no process of its own (it runs in-process)")

// A target is a client as the faults see it.
type target struct {
	life *life
	gate *gate

	// The fields below are guarded by life.mu.
	shut    opening // opens the gate that a pause shut; nil: no pause
	waiting *wait   // nil if the client does not wait
}

// Meet implements nemesis.Client.
func (t *target) Meet(ctx context.Context, bound time.Duration) (string, func(), error) {
	where, open, err := t.gate.meet(ctx, working, bound)
	return t.met(where, open, err, bound)
}

// Pause implements nemesis.Client.
func (t *target) Pause(ctx context.Context) (string, func(context.Context) error, error) {
	open := t.gate.shutNow()
	if t.life.dead() { // its successor has not opened the lock yet
		open()
		return "", nil, fmt.Errorf("%w: c%d is dead", nemesis.ErrNotStruck, t.life.client)
	}
	p, err := t.life.ownProcess()
	if err == nil {
		err = p.Pause(ctx)
	}
	if err != nil {
		open()
		return "", nil, fmt.Errorf("stop c%d: %w", t.life.client, err)
	}
	// The gate stays shut until the end of the pause is recorded, because the client's next
	// step must not appear inside the pause.
	t.life.mu.Lock()
	t.shut = open
	t.life.mu.Unlock()
	resume := func(ctx context.Context) error {
		if t.life.dead() {
			return nil // the client was killed while it was paused
		}
		return p.Resume(ctx)
	}
	return t.stood(""), resume, nil
}

// goOn opens the client's gate once the end of a pause is recorded.
func (t *target) goOn() {
	t.life.mu.Lock()
	open := t.shut
	t.shut = nil
	t.life.mu.Unlock()
	if open != nil {
		open()
	}
}

// Kill implements nemesis.Client.
func (t *target) Kill(ctx context.Context) (string, error) {
	open := t.gate.shutNow()
	defer open()
	return t.kill(ctx, "")
}

// SkewClock implements nemesis.ClockedClient.
func (t *target) SkewClock(ctx context.Context, offset time.Duration) (string, error) {
	t.life.mu.Lock()
	locker, alive := t.life.locker, t.life.alive
	t.life.mu.Unlock()
	p, ok := locker.(clocked)
	switch {
	case !alive:
		return "", fmt.Errorf("%w: c%d is dead", nemesis.ErrNotStruck, t.life.client)
	case !ok:
		return "", errInProcess
	}
	err := p.SetClock(ctx, offset)
	switch {
	case err == nil:
		return fmt.Sprintf("c%d", t.life.client), nil
	case errors.Is(err, errors.ErrUnsupported), t.life.dead():
		return "", fmt.Errorf("%w: c%d: %w", nemesis.ErrNotStruck, t.life.client, err)
	}
	return "", fmt.Errorf("move the clock of c%d: %w", t.life.client, err)
}

// killLimit bounds the wait for the end of a killed process.
const killLimit = 10 * time.Second

// kill ends the client's process and records the crash.
func (t *target) kill(ctx context.Context, where string) (string, error) {
	l := t.life
	p, err := l.ownProcess()
	if err != nil {
		return "", err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.alive {
		return "", fmt.Errorf("%w: c%d was dead already", nemesis.ErrNotStruck, l.client)
	}
	struck := l.run.cfg.Now() // the service may notice the end of the process before the harness does
	// A kill that has begun is completed even if the phase ends meanwhile: a dying process must
	// not be recorded as alive.
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), killLimit)
	defer cancel()
	err = p.Kill(limit)
	l.alive = false
	op := history.Op{F: history.Crash, Type: history.Info, Process: l.process}
	op.SetBegan(struck)
	l.record(op)
	l.run.holdings.died(l.client)
	if l.ended != nil {
		l.ended()
	}
	if err != nil {
		return "", fmt.Errorf("kill c%d: %w", l.client, err)
	}
	return t.where(where), nil
}

// HoldWrite implements nemesis.Client.
func (t *target) HoldWrite(ctx context.Context, bound time.Duration) (string, func(), error) {
	return t.holdAt(ctx, writing, bound)
}

// Linger implements nemesis.Client.
func (t *target) Linger(ctx context.Context, bound time.Duration) (string, func(), error) {
	return t.holdAt(ctx, working, bound)
}

func (t *target) holdAt(ctx context.Context, at place, bound time.Duration) (string, func(), error) {
	where, open, err := t.gate.armAt(ctx, at, bound)
	return t.met(where, open, err, bound)
}

// met returns the result of a strike at the gate. An empty where means that the strike timed out
// after bound.
func (t *target) met(where string, open opening, err error, bound time.Duration) (string, func(), error) {
	if err != nil {
		return "", nil, err
	}
	if where == "" {
		return "", nil, fmt.Errorf("%w: c%d did not come to a place for this fault within %v", nemesis.ErrNotStruck, t.life.client, bound)
	}
	return t.stood(where), open, nil
}

// stood returns the place at which a fault struck, with the client's name: "c2 waiting for lock-1".
func (t *target) stood(where string) string {
	t.life.mu.Lock()
	defer t.life.mu.Unlock()
	return t.where(where)
}

func (t *target) where(where string) string {
	switch {
	case where != "":
	case t.waiting != nil:
		where = "waiting for " + t.waiting.lock
	default:
		where = "outside its sections"
	}
	return fmt.Sprintf("c%d %s", t.life.client, where)
}

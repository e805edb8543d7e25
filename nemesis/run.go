package nemesis

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// Events are called during the execution of a schedule, one at a time. All must be set.
type Events struct {
	Began     func(s Step)              // a disturbance is about to start whose effect is observed later (World.Begins)
	Struck    func(s Step, seen string) // the effect was just observed; s names the struck victims, drawn or not
	NotStruck func(s Step, err error)   // the fault changed nothing, for the reason err
	Healed    func(s Step)              // the end of the fault was just observed
}

// healLimit bounds one heal. A server that must restart needs seconds.
const healLimit = 30 * time.Second

// Execute executes a schedule, with times counted from now. A step waits while the previous
// step of its lane, or a step of the other lane on the same target, is still in effect. After
// each step, its lane waits for a further tenth of the TTL. When ctx has ended, no more faults
// strike, and Execute heals the current ones before it returns, with a time limit of its own.
// The error is the first fault or heal that failed for a reason other than ErrNotStruck or the
// end of ctx, which is a failure of the harness.
func Execute(ctx context.Context, w *World, steps []Step, kinds Kinds, ev Events) error {
	var lanes [2][]Step
	for _, s := range steps {
		n, ok := kinds[s.Fault]
		if !ok {
			return fmt.Errorf("fault %d: %w", s.N, &UnknownError{s.Fault})
		}
		lanes[laneOf(n)] = append(lanes[laneOf(n)], s)
	}
	group, ctx := errgroup.WithContext(ctx)
	e := &executor{w: w, kinds: kinds, events: ev, start: time.Now(), changed: make(chan struct{})}
	for _, l := range lanes {
		group.Go(func() error { return e.lane(ctx, l) })
	}
	return group.Wait()
}

// An executor is the common state of the lanes of one schedule.
type executor struct {
	w       *World
	kinds   Kinds
	start   time.Time
	telling sync.Mutex // held during an event
	events  Events

	mu      sync.Mutex
	active  []Step
	changed chan struct{} // closed and replaced when a step leaves active
}

// lane executes steps one after another until ctx ends.
func (e *executor) lane(ctx context.Context, steps []Step) error {
	free := e.start
	for _, s := range steps {
		at := e.start.Add(s.At)
		if at.Before(free) {
			at = free
		}
		if !sleep(ctx, time.Until(at)) || !e.enter(ctx, s) {
			return nil
		}
		err := e.strike(ctx, s)
		e.leave(s)
		if err != nil {
			return err
		}
		free = time.Now().Add(e.w.TTL / 10)
	}
	return nil
}

// strike injects one fault, waits for its duration and heals it.
func (e *executor) strike(ctx context.Context, s Step) error {
	struck, seen, heal, err := e.inject(ctx, s)
	if err != nil {
		awaitEnd(ctx)
		if errors.Is(err, ErrNotHealed) || !errors.Is(err, ErrNotStruck) && ctx.Err() == nil {
			return fmt.Errorf("fault %d, %s: %w", s.N, s.Fault, err)
		}
		e.tell(func() { e.events.NotStruck(s, err) })
		return nil
	}
	e.tell(func() { e.events.Struck(struck, seen) })
	sleep(ctx, s.For)
	if err := mend(ctx, heal); err != nil {
		return fmt.Errorf("heal fault %d, %s: %w", s.N, s.Fault, err)
	}
	e.tell(func() { e.events.Healed(struck) })
	return nil
}

// awaitEnd waits for the end of ctx if its deadline has passed, and otherwise returns at once.
// A connection with the same deadline can report a timeout a moment before ctx ends. Without
// the wait, that timeout would count as a failure of the harness.
func awaitEnd(ctx context.Context) {
	if deadline, ok := ctx.Deadline(); ok && !time.Now().Before(deadline) {
		<-ctx.Done()
	}
}

// mend calls heal, even if ctx has ended. A nil heal means that there is nothing to undo.
func mend(ctx context.Context, heal func(context.Context) error) error {
	if heal == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), healLimit)
	defer cancel()
	return heal(ctx)
}

func (e *executor) tell(event func()) {
	e.telling.Lock()
	defer e.telling.Unlock()
	event()
}

// enter waits until no active step strikes a target of s, and makes s active. It returns false if
// ctx ended first.
func (e *executor) enter(ctx context.Context, s Step) bool {
	for {
		e.mu.Lock()
		free := true
		for _, o := range e.active {
			free = free && !clash(o, s)
		}
		if free {
			e.active = append(e.active, s)
			e.mu.Unlock()
			return true
		}
		changed := e.changed
		e.mu.Unlock()
		select {
		case <-ctx.Done():
			return false
		case <-changed:
		}
	}
}

// leave makes s inactive.
func (e *executor) leave(s Step) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i, o := range e.active {
		if o.N == s.N {
			e.active = append(e.active[:i], e.active[i+1:]...)
			break
		}
	}
	close(e.changed)
	e.changed = make(chan struct{})
}

// sleep waits for d. It returns false if ctx ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	if ctx.Err() != nil {
		return false
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

package bench

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"locktorture/locks"
)

// A met is one meeting.
type met struct {
	open, leave time.Duration
	early       int64
}

// mercy is how long a meeting that is under way may still take when the measurement is broken
// off. A party that went home at once would leave the others waiting.
const mercy = 2 * time.Second

// meet lets all parties meet once.
func (w *crew) meet(ctx context.Context, at place, meeting int) (m met, err error) {
	mctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), w.patience)
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(mercy, cancel) })()
	if err := at.prepare(mctx, meeting); err != nil {
		return m, fmt.Errorf("prepare: %w", err)
	}
	leaves := make([]func(context.Context) error, len(w.clients))
	last := at.comesLast(meeting)
	m.open, m.early, err = w.together(mctx, func(ctx context.Context, i int, calls func()) (err error) {
		if i == last {
			if err := pause(ctx, w.hold); err != nil {
				return err
			}
		}
		if at.needs(meeting, i) {
			calls()
		}
		leaves[i], err = at.come(ctx, meeting, i)
		return err
	})
	if err != nil || leaves[0] == nil {
		return m, err
	}
	m.leave, _, err = w.together(mctx, func(ctx context.Context, i int, calls func()) error {
		calls()
		return leaves[i](ctx)
	})
	return m, err
}

// together lets all clients do the same and returns the time from the last call to the last
// return, and how many had returned before that call.
func (w *crew) together(ctx context.Context, do func(ctx context.Context, i int, calls func()) error) (took time.Duration, early int64, err error) {
	var mu sync.Mutex
	var called, returned time.Time
	ends := make([]time.Time, len(w.clients))
	g, ctx := errgroup.WithContext(ctx)
	for i := range w.clients {
		g.Go(func() error {
			err := do(ctx, i, func() {
				mu.Lock()
				defer mu.Unlock()
				called = time.Now()
			})
			mu.Lock()
			defer mu.Unlock()
			returned = time.Now()
			ends[i] = returned
			if err != nil {
				return fmt.Errorf("client %d: %w", i+1, err)
			}
			return nil
		})
	}
	err = g.Wait()
	for _, end := range ends {
		if end.Before(called) {
			early++
		}
	}
	return returned.Sub(called), early, err
}

// latches are one for each meeting.
type latches struct {
	crew   *crew
	single bool // one count-down opens it
}

func (p latches) of(i int) locks.Latch { return p.crew.clients[i].(*latched).latch }

func (p latches) name(meeting int) string {
	return p.crew.side.name(fmt.Sprint("meet-", len(p.crew.clients)), meeting)
}

func (p latches) prepare(ctx context.Context, meeting int) error {
	count := len(p.crew.clients)
	if p.single {
		count = 1
	}
	return p.of(0).SetCount(ctx, p.name(meeting), count)
}

func (p latches) comesLast(meeting int) int { return meeting % len(p.crew.clients) }

func (p latches) needs(meeting, i int) bool { return !p.single || i == p.comesLast(meeting) }

func (p latches) come(ctx context.Context, meeting, i int) (func(context.Context) error, error) {
	if p.needs(meeting, i) {
		if err := p.of(i).CountDown(ctx, p.name(meeting), strconv.Itoa(i)); err != nil {
			return nil, fmt.Errorf("count down: %w", err)
		}
	}
	if err := p.of(i).Await(ctx, p.name(meeting)); err != nil {
		return nil, fmt.Errorf("await: %w", err)
	}
	return nil, nil
}

// A barrier is one for all meetings.
type barrier struct{ crew *crew }

func (p barrier) prepare(context.Context, int) error { return nil }

func (p barrier) comesLast(meeting int) int { return meeting % len(p.crew.clients) }

func (p barrier) needs(int, int) bool { return true }

func (p barrier) come(ctx context.Context, _, i int) (func(context.Context) error, error) {
	n := len(p.crew.clients)
	l, err := p.crew.clients[i].(locks.Barrier).Enter(ctx, p.crew.side.name("meet", n), n)
	if err != nil {
		return nil, fmt.Errorf("enter: %w", err)
	}
	return l.Release, nil
}

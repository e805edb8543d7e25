package bench

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// A shift is one slice in which several clients want one lock: when they begin, when they are
// counted, and when they go home.
type shift struct {
	wg      sync.WaitGroup
	stop    chan struct{} // closed when nobody should ask again
	elapsed time.Duration // of the counted part

	mu       sync.Mutex
	changed  chan struct{} // closed, and made anew, whenever something happened
	clients  int
	asked    int // clients that have called Acquire
	grants   int
	err      error // the first that ended a client
	counting bool
	ended    func(now time.Time) // is called, if it is there, when the counted part ends
}

func newShift() shift { return shift{stop: make(chan struct{}), changed: make(chan struct{})} }

// begin lets client i take turns until the slice is over. All clients begin before any is
// counted.
func (s *shift) begin(i int, turn func() error) {
	s.clients++
	s.wg.Go(func() {
		s.tell(func() { s.asked++ })
		for !s.over() {
			if err := turn(); err != nil {
				s.tell(func() {
					if s.err == nil {
						s.err = fmt.Errorf("client %d: %w", i+1, err)
					}
				})
				return
			}
		}
	})
}

// counted counts for d, from when all clients have asked and one has the lock, and for as long
// after that as it is not enough. It returns what the servers were asked meanwhile.
func (s *shift) counted(ctx context.Context, d, patience time.Duration, commands Counter, enough func() bool) (asked int64, err error) {
	if err := s.await(ctx, patience, func() bool { return s.asked >= s.clients && s.grants > 0 }); err != nil {
		return 0, err
	}
	before, err := commands.read(ctx)
	if err != nil {
		return 0, err
	}
	start := s.count(true)
	if err = pause(ctx, d); err == nil {
		err = s.await(ctx, patience, enough)
	}
	s.elapsed = s.count(false).Sub(start)
	if err != nil {
		return 0, err
	}
	after, err := commands.read(ctx)
	return after - before, err
}

// tell changes the state and wakes all who wait for it.
func (s *shift) tell(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
	close(s.changed)
	s.changed = make(chan struct{})
}

// count begins or ends the counted part and returns when that was.
func (s *shift) count(on bool) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counting = on
	now := time.Now()
	if !on && s.ended != nil {
		s.ended(now)
	}
	return now
}

// await waits for a state.
func (s *shift) await(ctx context.Context, patience time.Duration, reached func() bool) error {
	t := time.NewTimer(patience)
	defer t.Stop()
	for {
		s.mu.Lock()
		done, err, changed := reached(), s.err, s.changed
		s.mu.Unlock()
		if done || err != nil {
			return nil // goHome tells the error
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		case <-t.C:
			return fmt.Errorf("no hand-over in %v", patience)
		}
	}
}

// until waits for a state, or for the end of the slice.
func (s *shift) until(ctx context.Context, reached func() bool) {
	for {
		s.mu.Lock()
		done, changed := reached(), s.changed
		s.mu.Unlock()
		if done {
			return
		}
		select {
		case <-changed:
		case <-s.stop:
			return
		case <-ctx.Done():
			return
		}
	}
}

func (s *shift) over() bool {
	select {
	case <-s.stop:
		return true
	default:
		return false
	}
}

// goHome lets the clients end: each is granted the lock once more and releases
// it. Those that are not within the patience are called off.
func (s *shift) goHome(cancel func(), patience time.Duration) error {
	close(s.stop)
	home := make(chan struct{})
	go func() { s.wg.Wait(); close(home) }()
	t := time.NewTimer(patience)
	defer t.Stop()
	var late error
	select {
	case <-home:
	case <-t.C:
		late = errors.New("after the slice, waiters did not get the lock")
		cancel()
		<-home
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return errors.Join(s.err, late)
}

package attempt_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"locktorture/locks/attempt"
)

type session struct{ over, dropped atomic.Bool }

func (s *session) Over() bool { return s.over.Load() }

// There is one session at a time, also where many ask; one that is over is replaced, and none
// outlives Close.
func TestSessions(t *testing.T) {
	var made atomic.Int64
	opening, open := make(chan struct{}, 1), make(chan struct{}, 100)
	s := attempt.NewSessions(func(context.Context) (*session, error) {
		made.Add(1)
		opening <- struct{}{}
		<-open
		return new(session), nil
	}, func(n *session) { n.dropped.Store(true) })
	var all [8]*session
	var wg sync.WaitGroup
	for i := range all {
		wg.Go(func() { all[i], _ = s.Open(t.Context()) })
	}
	<-opening
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Open(gone); !errors.Is(err, context.Canceled) {
		t.Errorf("who has given up waited for the one who opens: %v", err)
	}
	open <- struct{}{}
	wg.Wait()
	for _, n := range all {
		if n == nil || n != all[0] || made.Load() != 1 {
			t.Fatalf("%d sessions were made: %v", made.Load(), all)
		}
	}
	all[0].over.Store(true)
	open <- struct{}{}
	next, err := s.Open(t.Context())
	if err != nil || next == all[0] {
		t.Errorf("after the end of one: %v", err)
	}
	<-opening
	next.over.Store(true)
	late := make(chan error)
	go func() {
		_, err := s.Open(t.Context())
		late <- err
	}()
	<-opening
	s.Close()
	open <- struct{}{}
	if err := <-late; !errors.Is(err, attempt.ErrClosed) || !next.dropped.Load() {
		t.Errorf("a session that was made during a close: %v, the one before dropped: %v", err, next.dropped.Load())
	}
	if _, err := s.Open(t.Context()); !errors.Is(err, attempt.ErrClosed) || made.Load() != 3 {
		t.Errorf("after a close: %v, %d were made", err, made.Load())
	}
}

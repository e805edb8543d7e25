package attempt

import (
	"context"
	"errors"
	"sync"
)

// ErrClosed is the error of Sessions.Open after Close.
var ErrClosed = errors.New("client is closed")

// A Sessions manages the sessions of a client, which has one at a time and opens it when it
// first needs one. A session that is over, because a request left it in doubt or because the
// servers ended it, is never used again. Use NewSessions to make one.
type Sessions[S interface{ Over() bool }] struct {
	open    func(context.Context) (S, error)
	drop    func(S)
	opening chan struct{} // holds an element while a caller opens a session

	mu      sync.Mutex
	current S
	some    bool // there is a current session
	closed  bool
}

// NewSessions returns a Sessions that opens sessions with open. drop ends a session on the
// client's side only, as a crash would.
func NewSessions[S interface{ Over() bool }](open func(context.Context) (S, error), drop func(S)) *Sessions[S] {
	return &Sessions[S]{open: open, drop: drop, opening: make(chan struct{}, 1)}
}

// Open returns the current session, or opens a new one. Its errors are certain: no lock was
// requested, and a session that the client never received holds nothing.
func (s *Sessions[S]) Open(ctx context.Context) (S, error) {
	var none S
	if n, ok, err := s.live(); ok || err != nil {
		return n, err
	}
	select {
	case s.opening <- struct{}{}:
	case <-ctx.Done():
		return none, ctx.Err()
	}
	defer func() { <-s.opening }()
	if n, ok, err := s.live(); ok || err != nil {
		return n, err // another caller opened one meanwhile
	}
	n, err := s.open(ctx)
	if err != nil {
		return none, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		s.drop(n)
		return none, ErrClosed
	}
	s.current, s.some = n, true
	return n, nil
}

// live returns the current session; ok is false if there is none or it is over.
func (s *Sessions[S]) live() (n S, ok bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return n, false, ErrClosed
	case !s.some || s.current.Over():
		return n, false, nil
	}
	return s.current, true, nil
}

// Close drops the current session. Later calls of Open fail with ErrClosed.
func (s *Sessions[S]) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.some {
		s.drop(s.current)
	}
}

package attempt

import (
	"context"
	"errors"
	"sync"
)

// ErrClosed is returned to who asks a client for a session after its Close.
var ErrClosed = errors.New("client is closed")

// Sessions are those of a client that has one at a time, opened when it is first needed. One
// that is over, because it was left in doubt or the servers have ended it, is never used
// again. NewSessions makes them.
type Sessions[S interface{ Over() bool }] struct {
	open    func(context.Context) (S, error)
	drop    func(S)
	opening chan struct{} // has an element while somebody opens a session

	mu      sync.Mutex
	current S
	some    bool // there is a current one
	closed  bool
}

// NewSessions returns the sessions that open opens. drop ends one on the client's side only,
// as a crash would.
func NewSessions[S interface{ Over() bool }](open func(context.Context) (S, error), drop func(S)) *Sessions[S] {
	return &Sessions[S]{open: open, drop: drop, opening: make(chan struct{}, 1)}
}

// Open returns the session, or makes one. Its errors are certain: no lock was asked for, and a
// session that nobody knows holds nothing.
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
		return n, err // somebody else has opened one
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

// live returns the session if there is one that is not over.
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

// Close drops the session, and refuses another.
func (s *Sessions[S]) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.some {
		s.drop(s.current)
	}
}

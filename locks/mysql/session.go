package mysql

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"time"

	"locktorture/locks"
	"locktorture/locks/attempt"
)

// A session is a connection that belongs to one lease at a time. It is kept for the client's next
// lease if the lease before was released without an error; otherwise it is closed with its lease.
type session struct {
	server *server
	conn   *sql.Conn
	// id is the connection's number on the server.
	id int64
	// withdrawn reports that a KILL QUERY was sent, which could hit a later statement.
	withdrawn bool
}

// pin returns the resting session, or opens one. It takes no lock, so its errors are certain.
func (s *server) pin(ctx context.Context) (*session, error) {
	rctx, cancel := s.terms.Request(ctx)
	defer cancel()
	if s.broken != nil {
		return nil, &attempt.NotSentError{Err: s.broken}
	}
	if x := s.rested(); x != nil {
		if x.alive(rctx) {
			return x, nil
		}
		x.close()
	}
	conn, err := s.pins.Conn(rctx)
	if err != nil {
		return nil, &attempt.NotSentError{Err: err}
	}
	x := &session{server: s, conn: conn}
	if err := conn.QueryRowContext(rctx, "SELECT CONNECTION_ID()").Scan(&x.id); err != nil {
		_ = conn.Close() // the connection cannot be used
		return nil, &attempt.NotSentError{Err: err}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sessions[x] = true
	return x, nil
}

// pinWaiting pins a session as pin does, and tries again after errors.
func (s *server) pinWaiting(ctx context.Context) (*session, error) {
	return s.until(ctx, func() (*session, error) { return s.pin(ctx) })
}

// until repeats get until it returns a session, the server has refused it, or ctx is done.
func (s *server) until(ctx context.Context, get func() (*session, error)) (*session, error) {
	for {
		x, err := get()
		if err == nil || forbidden(err) || s.broken != nil || s.alive.Err() != nil {
			return x, err
		}
		if attempt.Wait(ctx.Done(), s.cfg.Clock, s.terms.Pause()); ctx.Err() != nil {
			return nil, err
		}
	}
}

// restLimit is the time for which a session may rest without a check. On a silent link, the wait
// for a lock would notice a dead connection only late.
const restLimit = 100 * time.Millisecond

// rested removes and returns the resting session, or nil.
func (s *server) rested() *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.resting
	s.resting = nil
	return x
}

// alive reports whether a session that rested can still be used.
func (x *session) alive(ctx context.Context) bool {
	x.server.mu.Lock()
	since := x.server.restingSince
	x.server.mu.Unlock()
	if x.look(ctx) != nil {
		return false
	}
	return time.Since(since) < restLimit || x.conn.PingContext(ctx) == nil
}

// rest keeps an idle session for the next lease.
func (x *session) rest() {
	s := x.server
	s.mu.Lock()
	keep := s.resting == nil && !x.withdrawn && s.alive.Err() == nil
	if keep {
		s.resting, s.restingSince = x, time.Now()
	}
	s.mu.Unlock()
	if !keep {
		x.close()
	}
}

// close drops the connection; the server then releases its locks.
func (x *session) close() {
	x.server.mu.Lock()
	delete(x.server.sessions, x)
	x.server.mu.Unlock()
	_ = x.conn.Close() // fails only if the connection is closed already
}

// exec runs a statement that the server does not delay.
func (x *session) exec(ctx context.Context, statement string, args ...any) error {
	rctx, cancel := x.server.terms.Request(ctx)
	defer cancel()
	_, err := x.conn.ExecContext(rctx, statement, args...)
	return err
}

// answer queries one number in one row; the server does not delay it.
func (x *session) answer(ctx context.Context, question string, args ...any) (answer sql.NullInt64, err error) {
	rctx, cancel := x.server.terms.Request(ctx)
	defer cancel()
	err = x.conn.QueryRowContext(rctx, question, args...).Scan(&answer)
	return answer, err
}

// number queries one number in one row; the server may delay the answer.
func (x *session) number(ctx context.Context, question string, args ...any) (answer sql.NullInt64, err error) {
	err = x.wait(ctx, func(ctx context.Context) error {
		return x.conn.QueryRowContext(ctx, question, args...).Scan(&answer)
	})
	return answer, err
}

// wait runs a statement that the server may delay. When ctx ends, it cancels the statement by a
// KILL QUERY over another connection, and waits for its answer for twice the grace, so that the
// outcome is known. Without an answer it closes the connection; the server then lets the statement
// wait for at most Config.Wait.
func (x *session) wait(ctx context.Context, statement func(ctx context.Context) error) error {
	cfg := x.server.cfg
	rctx, cancel := context.WithTimeout(x.server.alive, cfg.Wait+cfg.Timeout)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- statement(rctx) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	x.withdrawn = true
	t := time.AfterFunc(2*cfg.Grace, cancel) // closes the connection
	defer t.Stop()
	for again := time.NewTicker(cfg.Grace / 4); ; {
		x.kill()
		select {
		case err := <-done:
			again.Stop()
			return err
		case <-again.C: // the KILL may have arrived before the statement
		}
	}
}

// kill cancels the running statement, and returns once the KILL was answered, so that it cannot hit
// a later statement.
func (x *session) kill() {
	ctx, cancel := context.WithTimeout(x.server.alive, x.server.cfg.Grace)
	defer cancel()
	_, _ = x.server.execOnce(ctx, fmt.Sprintf("KILL QUERY %d", x.id), nil) // the answer to the statement shows the effect
}

// look checks whether the other side has closed the connection, without sending anything. If it
// has, this and every later statement fail with driver.ErrBadConn.
func (x *session) look(ctx context.Context) error {
	return x.conn.Raw(func(c any) error {
		if r, ok := c.(driver.SessionResetter); ok {
			return r.ResetSession(ctx)
		}
		return nil
	})
}

// ended converts the error of a release: a connection that was closed or killed before the release
// was carried out means that the lease had ended.
func ended(err error) error {
	if errors.Is(err, driver.ErrBadConn) || errors.Is(err, sql.ErrConnDone) || is(err, errKilled) {
		return fmt.Errorf("%w: %w", locks.ErrNotHeld, err)
	}
	if err != nil {
		return fmt.Errorf("release: %w", err)
	}
	return nil
}

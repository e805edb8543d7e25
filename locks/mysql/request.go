package mysql

import (
	"context"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"slices"

	driver "github.com/go-sql-driver/mysql"

	"locktorture/locks"
	"locktorture/locks/attempt"
)

// Error numbers of the server.
const (
	errNoDatabase   = 1049
	errDuplicateKey = 1062
	errNoTable      = 1146
	errDuringCommit = 1180
	errLockWait     = 1205 // MariaDB's answer to NOWAIT
	errDeadlock     = 1213
	errKilled       = 1927 // MariaDB: ended by KILL
)

// is reports whether err is an error of the server with one of these numbers.
func is(err error, numbers ...uint16) bool {
	var e *driver.MySQLError
	return errors.As(err, &e) && slices.Contains(numbers, e.Number)
}

// certain reports whether an error proves that a statement that commits by itself changed nothing.
// The server rolls back a statement that it answers with an error.
func certain(err error) bool {
	var refused *driver.MySQLError
	return attempt.NotSent(err) || errors.Is(err, sqldriver.ErrBadConn) ||
		errors.As(err, &refused) && refused.Number != errDuringCommit
}

// forbidden reports whether err is the server's answer to a request that was sent.
func forbidden(err error) bool {
	var answer *driver.MySQLError
	return errors.As(err, &answer) && !attempt.NotSent(err)
}

// A result describes the effect of a statement.
type result struct {
	// rows is the number of changed rows.
	rows int64
	// id is the value of LAST_INSERT_ID.
	id uint64
}

// exec runs one statement that commits by itself; %s in it stands for the table, which is created
// if it is missing. It never repeats a statement that may have been carried out.
func (s *server) exec(ctx context.Context, t table, statement string, args ...any) (result, error) {
	r, err := s.execOnce(ctx, fmt.Sprintf(statement, s.name(t)), args)
	if !is(err, errNoTable, errNoDatabase) {
		return r, err
	}
	if err := s.create(ctx, t); err != nil {
		return result{}, &attempt.NotSentError{Err: err}
	}
	return s.execOnce(ctx, fmt.Sprintf(statement, s.name(t)), args)
}

// execOnce runs a statement on a connection from the pool. An error before the statement was sent
// is marked as not sent.
func (s *server) execOnce(ctx context.Context, statement string, args []any) (r result, err error) {
	if s.broken != nil {
		return r, &attempt.NotSentError{Err: s.broken}
	}
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return r, &attempt.NotSentError{Err: err}
	}
	defer conn.Close()
	res, err := conn.ExecContext(ctx, statement, args...)
	if err != nil {
		return r, err
	}
	if r.rows, err = res.RowsAffected(); err != nil {
		return r, err
	}
	id, err := res.LastInsertId()
	r.id = uint64(id)
	return r, err
}

// connect makes sure that there is a connection, so that the time for connecting does not count
// against a request.
func (s *server) connect(ctx context.Context) error {
	if s.broken != nil {
		return s.broken
	}
	rctx, cancel := s.terms.Request(ctx)
	defer cancel()
	conn, err := s.db.Conn(rctx)
	if err != nil {
		return &attempt.NotSentError{Err: err}
	}
	return conn.Close() // returns it to the pool
}

// change runs a statement that changes the row of a lease, or no row if the lease is over. It
// repeats a statement that was the victim of a deadlock, for example with a reaper, because the
// server has rolled it back.
func (s *server) change(ctx context.Context, what string, t table, statement string, args ...any) error {
	rctx, cancel := s.terms.Request(ctx)
	defer cancel()
	r, err := s.exec(rctx, t, statement, args...)
	for is(err, errDeadlock) && rctx.Err() == nil {
		r, err = s.exec(rctx, t, statement, args...)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if r.rows == 0 {
		return locks.ErrNotHeld
	}
	return nil
}

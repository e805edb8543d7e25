package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"locktorture/locks/attempt"
)

// A session is a connection that one lease at a time has for itself. It rests
// between two leases of its client if the one before gave everything back without an error;
// any other is closed with its lease.
type session struct {
	cfg   Config
	conn  *pgx.Conn
	alive context.Context // of the client
	owner string          // of the lease
	busy  chan struct{}   // has an element while a statement runs
	depth int             // guarded by Advisory.mu
	since time.Time       // when it came to rest
	// withdrawn says that a cancel request was sent, which could hit a later query.
	withdrawn bool
}

// restLimit is how long a session may rest without being asked whether it still answers: on a
// silent link the wait for a lock would find out late.
const restLimit = 100 * time.Millisecond

// pin takes the session that rests, or opens one. It takes nothing, so that its errors are
// certain.
func (a *Advisory) pin(ctx context.Context) (*session, error) {
	a.mu.Lock()
	x := a.resting
	a.resting = nil
	a.mu.Unlock()
	rctx, cancel := a.cfg.request(ctx)
	defer cancel()
	if x != nil {
		if x.look() == nil && (time.Since(x.since) < restLimit || x.conn.Ping(rctx) == nil) {
			return x, nil
		}
		x.close()
	}
	return a.connect(rctx)
}

// rest keeps an idle session for the next lease.
func (a *Advisory) rest(x *session) {
	a.mu.Lock()
	keep := a.resting == nil && !x.withdrawn && a.alive.Err() == nil
	if keep {
		a.resting, x.since = x, time.Now()
	}
	a.mu.Unlock()
	if !keep {
		x.close()
	}
}

// connect opens a session.
func (a *Advisory) connect(rctx context.Context) (*session, error) {
	cfg, err := a.cfg.parse()
	if err != nil {
		return nil, err
	}
	conn, err := pgx.ConnectConfig(rctx, cfg)
	if err != nil {
		return nil, err
	}
	return &session{cfg: a.cfg, conn: conn, alive: a.alive, busy: make(chan struct{}, 1)}, nil
}

// request returns the context of one request that the server does not delay.
func (c Config) request(ctx context.Context) (context.Context, context.CancelFunc) {
	t := attempt.Terms{Timeout: c.Timeout, Grace: c.Grace}
	return t.Request(ctx)
}

// ask asks for one row with one value; the server may delay the answer. When ctx ends the
// question is withdrawn over another connection, and its answer still waited for, for twice
// the grace, so that the outcome is known. A question without an answer costs the connection.
func (x *session) ask(ctx context.Context, into any, question string, args ...any) error {
	x.busy <- struct{}{}
	defer func() { <-x.busy }()
	rctx, cancel := context.WithTimeout(x.alive, x.cfg.Wait+x.cfg.Timeout)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- x.conn.QueryRow(rctx, question, args...).Scan(into) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	x.withdrawn = true
	t := time.AfterFunc(2*x.cfg.Grace, cancel) // closes the connection
	defer t.Stop()
	for again := time.NewTicker(x.cfg.Grace / 4); ; {
		x.withdraw()
		select {
		case err := <-done:
			again.Stop()
			return err
		case <-again.C: // it may have come before the question
		}
	}
}

// withdraw asks the server to give up the question that it works on, and returns once
// it has done so, so that no later one is struck.
func (x *session) withdraw() {
	ctx, cancel := context.WithTimeout(x.alive, x.cfg.Grace)
	defer cancel()
	_ = x.conn.PgConn().CancelRequest(ctx) // the answer to the question tells
}

// answer asks for one row with one value; the server does not delay it.
func (x *session) answer(ctx context.Context, into any, question string, args ...any) error {
	x.busy <- struct{}{}
	defer func() { <-x.busy }()
	rctx, cancel := x.cfg.request(ctx)
	defer cancel()
	return x.conn.QueryRow(rctx, question, args...).Scan(into)
}

// exec runs a statement that the server does not delay.
func (x *session) exec(ctx context.Context, statement string, args ...any) error {
	x.busy <- struct{}{}
	defer func() { <-x.busy }()
	rctx, cancel := x.cfg.request(ctx)
	defer cancel()
	_, err := x.conn.Exec(rctx, statement, args...)
	return err
}

// look returns an error if the other side has closed the connection. It sends
// nothing, and waits only where there is something to read: the library's own check takes a
// millisecond to find that there is nothing.
func (x *session) look() error {
	x.busy <- struct{}{}
	defer func() { <-x.busy }()
	if silent(x.conn.PgConn().Conn()) {
		return nil
	}
	//lint:ignore SA1019 Ping sends, and a look must not
	return x.conn.PgConn().CheckConn()
}

// close drops the connection; the server ends what it held.
func (x *session) close() {
	x.busy <- struct{}{}
	defer func() { <-x.busy }()
	ctx, cancel := context.WithTimeout(context.Background(), x.cfg.Grace)
	defer cancel()
	_ = x.conn.Close(ctx) // it can only fail if the connection is closed already
}

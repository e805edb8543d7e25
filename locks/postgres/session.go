package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"locktorture/locks/attempt"
)

// A session is a connection that belongs to one lease at a time. It is kept for the client's next
// lease if the lease before was released without an error; otherwise it is closed with its lease.
type session struct {
	cfg   Config
	conn  *pgx.Conn
	alive context.Context // context of the client
	// owner is the owner value of the lease.
	owner string
	// busy holds an element while a statement runs, because a connection runs one at a time.
	busy chan struct{}
	// depth is the number of entries of the holder. Advisory.mu guards it.
	depth int
	// since is the time since which the session is idle.
	since time.Time
	// withdrawn reports that a cancel request was sent, which could hit a later query.
	withdrawn bool
}

// restLimit is the time for which a session may rest without a check. On a silent link, the wait
// for a lock would notice a dead connection only late.
const restLimit = 100 * time.Millisecond

// pin returns the resting session, or opens one. It takes no lock, so its errors are certain.
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

// ask queries one value in one row; the server may delay the answer. When ctx ends, it cancels the
// query over another connection, and waits for its answer for twice the grace, so that the outcome
// is known. Without an answer it closes the connection.
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
		case <-again.C: // the cancel may have arrived before the query
		}
	}
}

// withdraw sends a cancel request for the running query, and returns once the server has handled
// it, so that it cannot hit a later query.
func (x *session) withdraw() {
	ctx, cancel := context.WithTimeout(x.alive, x.cfg.Grace)
	defer cancel()
	_ = x.conn.PgConn().CancelRequest(ctx) // the answer to the query shows the effect
}

// answer queries one value in one row; the server does not delay it.
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

// look returns an error if the other side has closed the connection. It sends nothing, and waits
// only if there is something to read, because the library's own check needs a millisecond to find
// that there is nothing.
func (x *session) look() error {
	x.busy <- struct{}{}
	defer func() { <-x.busy }()
	if silent(x.conn.PgConn().Conn()) {
		return nil
	}
	//lint:ignore SA1019 Ping sends, and a look must not
	return x.conn.PgConn().CheckConn()
}

// close drops the connection; the server then releases its locks.
func (x *session) close() {
	x.busy <- struct{}{}
	defer func() { <-x.busy }()
	ctx, cancel := context.WithTimeout(context.Background(), x.cfg.Grace)
	defer cancel()
	_ = x.conn.Close(ctx) // fails only if the connection is closed already
}

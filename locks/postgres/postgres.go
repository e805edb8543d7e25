// Package postgres holds locks on PostgreSQL.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"locktorture/locks"
	"locktorture/locks/attempt"
)

// A Config says where the server is and how a client uses it. Only Addr is needed.
type Config struct {
	// Addr is host:port, for the user postgres without a password, or a URL
	// (postgres://…) or DSN of github.com/jackc/pgx.
	Addr  string
	Owner string // prefix of every owner value

	// Timeout is how long the answer to one request is waited for that the
	// server does not delay. Default 1 s.
	Timeout time.Duration
	// Grace is how long a withdrawn request is waited for when the caller's
	// context has ended, so that the outcome is known. Default 100 ms.
	Grace time.Duration
	// Wait bounds how long the server lets one request wait, so that a waiter
	// whose connection is lost does not stay there. Default 10 s.
	Wait time.Duration

	Prefix string        // begins the names of tables
	Access *locks.Access // nil: the user postgres without a password, or what the DSN says
	Dial   func(ctx context.Context, network, addr string) (net.Conn, error)
}

func (c Config) withDefaults() Config {
	c.Timeout = attempt.OrElse(c.Timeout, time.Second)
	c.Grace = attempt.OrElse(c.Grace, 100*time.Millisecond)
	c.Wait = attempt.OrElse(c.Wait, 10*time.Second)
	if c.Dial == nil {
		c.Dial = new(net.Dialer).DialContext
	}
	return c
}

// parse makes the settings of a connection.
func (c Config) parse() (*pgx.ConnConfig, error) {
	dsn := c.Addr
	if !strings.ContainsAny(dsn, "/=") {
		dsn = "postgres://postgres@" + dsn + "/postgres?sslmode=disable"
	}
	cfg, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, fmt.Errorf("address of the database: %w", err)
	}
	if err := c.enter(cfg); err != nil {
		return nil, err
	}
	cfg.DialFunc = c.Dial
	cfg.DefaultQueryExecMode = pgx.QueryExecModeExec // one round trip
	cfg.RuntimeParams["lock_timeout"] = fmt.Sprint(c.Wait.Milliseconds())
	return cfg, nil
}

// enter fills in what the server asks for.
func (c Config) enter(cfg *pgx.ConnConfig) error {
	if c.Access == nil {
		return nil
	}
	if user, password := c.Access.Login(); user != "" {
		cfg.User, cfg.Password = user, password
	}
	cfg.Database = c.Access.InDatabase(cfg.Database)
	var err error
	cfg.TLSConfig, err = c.Access.TLSConfig(c.Addr)
	return err
}

// SQLSTATE codes.
const (
	adminShutdown    = "57P01" // also pg_terminate_backend
	crashShutdown    = "57P02"
	lockNotAvailable = "55P03" // lock_timeout
	undefinedTable   = "42P01"
	uniqueViolation  = "23505" // also of two who make a table at the same time
)

// is reports whether an error is the server's, with one of these codes.
func is(err error, codes ...string) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && slices.Contains(codes, e.Code)
}

// answered reports whether the server answered with an error: it has then rolled
// the statement back.
func answered(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e)
}

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

// A Config holds the address of the server and the settings of a client. Only Addr is required.
type Config struct {
	// Addr is host:port, for the user postgres without a password, or a URL
	// (postgres://…) or DSN of github.com/jackc/pgx.
	Addr string
	// Owner is the prefix of every owner value. It identifies the client in the data of the servers.
	Owner string

	// Timeout limits the wait for the answer to a request that the server does not delay.
	// Default 1 s.
	Timeout time.Duration
	// Grace is the time for which the client waits for the answer to a cancelled request once the
	// caller's context has ended, so that the outcome is known. Default 100 ms.
	Grace time.Duration
	// Wait limits the time that the server lets one request wait, so that a waiter whose connection
	// is lost does not stay in the queue. Default 10 s.
	Wait time.Duration

	// Prefix is the prefix of the names of tables.
	Prefix string
	Access *locks.Access // nil means the login of the DSN, or the user postgres without a password
	Dial   func(ctx context.Context, network, addr string) (net.Conn, error)
}

// withDefaults fills in the defaults that the documentation of Config names.
func (c Config) withDefaults() Config {
	c.Timeout = attempt.OrElse(c.Timeout, time.Second)
	c.Grace = attempt.OrElse(c.Grace, 100*time.Millisecond)
	c.Wait = attempt.OrElse(c.Wait, 10*time.Second)
	if c.Dial == nil {
		c.Dial = new(net.Dialer).DialContext
	}
	return c
}

// parse parses host:port or a DSN into the settings of a connection.
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
	cfg.DefaultQueryExecMode = pgx.QueryExecModeExec // takes one round trip
	cfg.RuntimeParams["lock_timeout"] = fmt.Sprint(c.Wait.Milliseconds())
	return cfg, nil
}

// enter sets the login, the database and TLS from Access.
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
	adminShutdown    = "57P01" // also after pg_terminate_backend
	crashShutdown    = "57P02"
	lockNotAvailable = "55P03" // lock_timeout has passed
	undefinedTable   = "42P01"
	uniqueViolation  = "23505" // also if two clients create a table at the same time
)

// is reports whether err is an error of the server with one of these codes.
func is(err error, codes ...string) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && slices.Contains(codes, e.Code)
}

// answered reports whether the server answered with an error, and so has rolled the statement back.
func answered(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e)
}

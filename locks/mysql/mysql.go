// Package mysql holds locks on MariaDB or MySQL, through InnoDB and user-level locks. Each file is
// one algorithm; its doc comment states what it does not promise.
//
// Locks with rows keep them in the database "torture", or in the one that the DSN names. Each
// algorithm has a table of its own, which is created if it is missing. Owner values begin with
// Config.Owner and are unique to one grant.
package mysql

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	mrand "math/rand/v2"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	driver "github.com/go-sql-driver/mysql"

	"locktorture/locks"
	"locktorture/locks/attempt"
)

// A Config holds the address of the server and the settings of a client. Only Addr is required.
type Config struct {
	// Addr is host:port, for root without a password, or a DSN of
	// github.com/go-sql-driver/mysql, which contains a slash.
	Addr string
	TTL  time.Duration // TTL of a lease, if the lock has one; default 2 s
	// Owner is the prefix of every owner value. It identifies the client in the data of the servers.
	Owner string

	// Retry is the shortest pause between two tries of a waiter that spins;
	// the longest is twice that. Default 5 ms.
	Retry time.Duration
	// Timeout limits the wait for the answer to a request that the server does not delay.
	// Default 1 s.
	Timeout time.Duration
	// Grace is the time for which the client still waits for a request in progress once the
	// caller's context has ended, so that the outcome is known. Default 100 ms.
	Grace time.Duration
	// Wait limits the time that the server lets one request wait, so that a waiter whose connection
	// is lost does not stay in the queue. In whole seconds; default 10 s.
	Wait time.Duration

	// Prefix begins the names of tables and of user-level locks.
	Prefix string
	Access *locks.Access // nil means the login of the DSN, or root without a password
	// Clock is the clock for waits and ends of validity. nil means the host's clock.
	Clock locks.Clock
	Dial  func(ctx context.Context, network, addr string) (net.Conn, error)
	// Rand is the source of random pauses. nil means a source that the system seeds.
	Rand *mrand.Rand
}

// withDefaults fills in the defaults that the documentation of Config names.
func (c Config) withDefaults() Config {
	c.TTL = attempt.OrElse(c.TTL, 2*time.Second)
	c.Retry = attempt.OrElse(c.Retry, 5*time.Millisecond)
	c.Timeout = attempt.OrElse(c.Timeout, time.Second)
	c.Grace = attempt.OrElse(c.Grace, 100*time.Millisecond)
	c.Wait = max(attempt.OrElse(c.Wait, 10*time.Second), time.Second)
	c.Clock, c.Rand = attempt.ClockOr(c.Clock), attempt.Rand(c.Rand)
	if c.Dial == nil {
		c.Dial = new(net.Dialer).DialContext
	}
	return c
}

// retryMax is the longest default pause of a waiter.
const retryMax = 10 * time.Millisecond

// A server holds one client's connections to a database. Nothing in it retries, so that every
// request is accounted for.
type server struct {
	cfg Config
	// db is for statements that commit by themselves.
	db *sql.DB
	// pins makes connections that are closed after use.
	pins *sql.DB
	// schema is the database of the tables, quoted.
	schema string
	// broken is the error of the configuration, which the first use returns. It is nil if the
	// configuration is valid.
	broken error
	alive  context.Context
	// stop ends all waits when the client is closed.
	stop  context.CancelFunc
	terms *attempt.Terms

	mu       sync.Mutex // guards the following fields
	sessions map[*session]bool
	// resting is an idle one of the sessions, or nil.
	resting      *session
	restingSince time.Time
}

// newServer makes a client without a connection. An invalid configuration is reported at its first
// use.
func newServer(cfg Config) *server {
	cfg = cfg.withDefaults()
	s := &server{cfg: cfg, sessions: map[*session]bool{}}
	s.alive, s.stop = context.WithCancel(context.Background())
	s.terms = &attempt.Terms{
		Timeout: cfg.Timeout, Grace: cfg.Grace, Clock: cfg.Clock, Pause: attempt.Pauses(cfg.Retry, cfg.Retry, cfg.Rand),
		Certain: certain, Connect: s.connect,
	}
	dsn, err := cfg.parse()
	if err != nil {
		s.broken = err
		return s
	}
	s.schema = "`" + dsn.DBName + "`"
	dsn.DBName = "" // the database may not exist yet
	dsn.InterpolateParams = true
	dsn.Timeout = cfg.Timeout
	dsn.Logger = &driver.NopLogger{}
	dsn.DialFunc = cfg.Dial
	if s.db, s.broken = open(dsn, nil); s.broken == nil {
		s.db.SetMaxIdleConns(8)
		s.pins, s.broken = open(dsn, map[string]string{
			"innodb_lock_wait_timeout": strconv.Itoa(int(cfg.Wait / time.Second)),
		})
	}
	if s.broken == nil {
		s.pins.SetMaxIdleConns(-1)
	}
	return s
}

// parse parses host:port or a DSN.
func (c Config) parse() (*driver.Config, error) {
	if !strings.Contains(c.Addr, "/") {
		dsn := driver.NewConfig()
		dsn.Net, dsn.Addr, dsn.User, dsn.DBName = "tcp", c.Addr, "root", c.Access.InDatabase("torture")
		if user, password := c.Access.Login(); user != "" {
			dsn.User, dsn.Passwd = user, password
		}
		var err error
		dsn.TLS, err = c.Access.TLSConfig(c.Addr)
		return dsn, err
	}
	dsn, err := driver.ParseDSN(c.Addr)
	if err != nil {
		return nil, fmt.Errorf("address of the database: %w", err)
	}
	if dsn.DBName == "" {
		dsn.DBName = "torture"
	}
	return dsn, nil
}

// open makes a connection pool with additional parameters. It copies the configuration, because
// clients share it.
func open(dsn *driver.Config, params map[string]string) (*sql.DB, error) {
	dsn = dsn.Clone()
	for k, v := range params {
		if dsn.Params == nil {
			dsn.Params = map[string]string{}
		}
		dsn.Params[k] = v
	}
	c, err := driver.NewConnector(dsn)
	if err != nil {
		return nil, fmt.Errorf("address of the database: %w", err)
	}
	return sql.OpenDB(c), nil
}

// owner returns an owner value that was never used before.
func (s *server) owner() string { return attempt.Owner(s.cfg.Owner) }

// Close drops all connections, including the connections of leases.
func (s *server) Close() error {
	s.stop()
	if s.broken != nil {
		return nil
	}
	s.mu.Lock()
	open := slices.Collect(maps.Keys(s.sessions))
	s.mu.Unlock()
	for _, x := range open {
		x.close()
	}
	return errors.Join(s.db.Close(), s.pins.Close())
}

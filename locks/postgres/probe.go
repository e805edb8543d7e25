package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"locktorture/locks"
)

// A Probe queries a server for the holder of an advisory lock, from pg_locks and the application
// name of the connection.
type Probe struct {
	cfg  Config
	node string

	mu   sync.Mutex
	conn *pgx.Conn
}

var _ locks.Prober = (*Probe)(nil)

// NewProbe returns a probe of the server at host:port, bypassing proxies, under the cluster's name
// for it.
func NewProbe(node, addr string) *Probe { return NewProbeWith(Config{Addr: addr}, node) }

// NewProbeWith returns a probe for a server that requires a login or TLS.
func NewProbeWith(cfg Config, node string) *Probe {
	return &Probe{cfg: cfg.withDefaults(), node: node}
}

// probeTime limits each query.
const probeTime = 200 * time.Millisecond

// holder reads the connection that holds a lock, with its application name. The server shows a 64-bit
// key in two halves, and marks it by objsubid 1. It reads the locks and the names at different
// moments, so the name may be that of an earlier owner on the same connection, or of a later one.
const holder = "SELECT a.pid, a.application_name FROM pg_locks l JOIN pg_stat_activity a USING (pid)" +
	" WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1 AND l.mode = 'ExclusiveLock'" +
	" AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())" +
	" AND l.classid::bigint << 32 | l.objid::bigint = $1"

// Probe returns the holder of the lock. A lock without an expiry has a negative Left.
func (p *Probe) Probe(ctx context.Context, name string) ([]locks.Sight, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	sight, err := p.look(ctx, name)
	if err != nil {
		if !errors.Is(err, errMoving) {
			p.drop()
		}
		return nil, fmt.Errorf("probe %s: %w", p.node, err)
	}
	return []locks.Sight{sight}, nil
}

// look reads the holders of a lock over the probe's own connection, which it opens at the first
// look and after an error.
func (p *Probe) look(ctx context.Context, name string) (locks.Sight, error) {
	sight := locks.Sight{Node: p.node}
	if p.conn == nil {
		cfg, err := p.cfg.parse()
		if err != nil {
			return sight, err
		}
		if p.conn, err = pgx.ConnectConfig(ctx, cfg); err != nil {
			p.conn = nil
			return sight, err
		}
	}
	before := held{}
	for range mostQueries {
		var now held
		err := p.conn.QueryRow(ctx, holder, key(name)).Scan(&now.pid, &now.owner)
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			return sight, nil
		case err != nil:
			return sight, err
		case now == before:
			sight.Owner, sight.Left = now.owner, -1
			return sight, nil
		}
		before = now
	}
	return sight, errMoving
}

// mostQueries bounds the queries of one look. errMoving is the error of a look in which all of them
// differed: nothing is known then.
const mostQueries = 5

var errMoving = errors.New("the lock changes its holder faster than it can be read")

// held is what a query shows of a holder. Every acquire has an owner of its own. So if two queries show
// the same, the connection had this name all the time between them, and the lock at one moment of it.
type held struct {
	pid   int32
	owner string
}

// drop closes a connection that has failed.
func (p *Probe) drop() {
	if p.conn == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), probeTime)
	defer cancel()
	_ = p.conn.Close(ctx) // the connection has failed already
	p.conn = nil
}

// Close drops the connection.
func (p *Probe) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.drop()
	return nil
}

package mysql

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"locktorture/internal/rediscmd"
	"locktorture/locks"
)

// A Node is a database server that a Probe queries.
type Node struct {
	// Name is the name of the server in the cluster.
	Name string
	// Addr is the host:port of the server itself. A probe must bypass the proxies, which faults
	// cut.
	Addr string
	// Prefix is the prefix of the tables, see Config.
	Prefix string
	Access *locks.Access // see Config
}

// A look queries a server for the owner of a lock and the remaining time.
type look func(ctx context.Context, s *server, name string) (locks.Sight, error)

// A Probe queries database servers for the holder of a lock and the remaining time.
type Probe struct {
	nodes   []Node
	servers []*server
	look    look
	// redis is the Redis of a double write, or nil.
	redis rediscmd.Client
	// name is the name of the Redis node.
	name string
}

var _ locks.Prober = (*Probe)(nil)

// NewUniqueProbe returns a probe of the rows of Unique.
func NewUniqueProbe(nodes []Node) *Probe {
	return newProbe(nodes, rowLook(uniqueTable(), "-1"))
}

// NewTTLProbe returns a probe of the rows of UniqueTTL.
func NewTTLProbe(nodes []Node) *Probe { return newProbe(nodes, rowLook(ttlTable(), leftColumn)) }

// NewOptimisticProbe returns a probe of the rows of Optimistic.
func NewOptimisticProbe(nodes []Node) *Probe {
	return newProbe(nodes, rowLook(versionTable(), leftColumn))
}

// NewQuorumProbe returns a probe of the rows of Quorum.
func NewQuorumProbe(nodes []Node) *Probe { return newProbe(nodes, rowLook(quorumTable(), leftColumn)) }

// NewGetLockProbe returns a probe that calls IS_USED_LOCK. There is no probe for ForUpdate, because
// the server does not report which transaction has locked a row that nobody waits for.
func NewGetLockProbe(nodes []Node) *Probe { return newProbe(nodes, lookUserLock) }

// NewRedisMySQLProbe returns a probe of the key in Redis and of the row.
func NewRedisMySQLProbe(redis Node, database Node) *Probe {
	p := newProbe([]Node{database}, rowLook(confirmTable(), leftColumn))
	p.name = redis.Name
	p.redis = rediscmd.Open(rediscmd.Server{Addr: redis.Addr})
	return p
}

// probeTime limits each query.
const probeTime = 200 * time.Millisecond

// newProbe makes a probe with connections of its own, so that it sees the servers while the links
// of clients are cut.
func newProbe(nodes []Node, l look) *Probe {
	p := &Probe{nodes: nodes, look: l}
	for _, n := range nodes {
		p.servers = append(p.servers, newServer(Config{Addr: n.Addr, Timeout: probeTime, Prefix: n.Prefix, Access: n.Access}))
	}
	return p
}

// Probe returns the sight of every server that answers in time. It returns an error only if none
// does.
func (p *Probe) Probe(ctx context.Context, name string) ([]locks.Sight, error) {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	type result struct {
		locks.Sight
		err error
	}
	results := make([]chan result, len(p.nodes))
	for i, n := range p.nodes {
		results[i] = make(chan result, 1)
		go func() {
			s, err := p.look(ctx, p.servers[i], name)
			s.Node = n.Name
			results[i] <- result{s, err}
		}()
	}
	var sights []locks.Sight
	var errs []error
	keep := func(s locks.Sight, err error) {
		if err != nil {
			errs = append(errs, fmt.Errorf("probe %s: %w", s.Node, err))
			return
		}
		sights = append(sights, s)
	}
	if p.redis != nil {
		keep(p.lookRedis(ctx, name))
	}
	for _, c := range results {
		r := <-c
		keep(r.Sight, r.err)
	}
	if len(sights) == 0 {
		return nil, errors.Join(errs...)
	}
	return sights, nil
}

// leftColumn computes the time until a row expires, in µs; a row that has expired is free.
const leftColumn = "TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(6), expires)"

// rowLook returns a look that reads a row with an owner. A missing table has no rows.
func rowLook(t table, left string) look {
	return func(ctx context.Context, s *server, name string) (locks.Sight, error) {
		var owner sql.NullString
		var micros sql.NullInt64
		if s.broken != nil {
			return locks.Sight{}, s.broken
		}
		query := fmt.Sprintf("SELECT owner, %s FROM %s WHERE name = ?", left, s.name(t))
		err := s.db.QueryRowContext(ctx, query, name).Scan(&owner, &micros)
		switch {
		case errors.Is(err, sql.ErrNoRows) || is(err, errNoTable, errNoDatabase):
			return locks.Sight{}, nil
		case err != nil:
			return locks.Sight{}, err
		case !owner.Valid || left == leftColumn && micros.Int64 <= 0:
			return locks.Sight{}, nil
		case left != leftColumn:
			return locks.Sight{Owner: owner.String, Left: -1}, nil
		}
		return locks.Sight{Owner: owner.String, Left: time.Duration(micros.Int64) * time.Microsecond}, nil
	}
}

// lookUserLock queries the connection that has a lock.
func lookUserLock(ctx context.Context, s *server, name string) (locks.Sight, error) {
	var id sql.NullInt64
	if s.broken != nil {
		return locks.Sight{}, s.broken
	}
	err := s.db.QueryRowContext(ctx, "SELECT IS_USED_LOCK(?)", userLockName(s.cfg.Prefix+name)).Scan(&id)
	if err != nil || !id.Valid {
		return locks.Sight{}, err
	}
	return locks.Sight{Owner: connectionOwner(id.Int64), Left: -1}, nil
}

// lookRedis reads value and expiry in one transaction.
func (p *Probe) lookRedis(ctx context.Context, name string) (locks.Sight, error) {
	sight := locks.Sight{Node: p.name}
	var value *goredis.StringCmd
	var left *goredis.DurationCmd
	_, err := p.redis.TxPipelined(ctx, func(pipe goredis.Pipeliner) error {
		value, left = pipe.Get(ctx, redisKey(name)), pipe.PTTL(ctx, redisKey(name))
		return nil
	})
	if errors.Is(err, goredis.Nil) {
		return sight, nil
	}
	if err != nil {
		return sight, err
	}
	sight.Owner, sight.Left = value.Val(), left.Val()
	return sight, nil
}

// Close drops the connections.
func (p *Probe) Close() error {
	var errs []error
	for _, s := range p.servers {
		errs = append(errs, s.Close())
	}
	if p.redis != nil {
		errs = append(errs, p.redis.Close())
	}
	return errors.Join(errs...)
}

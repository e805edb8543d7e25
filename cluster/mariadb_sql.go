package cluster

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-sql-driver/mysql"
)

// mariadbConn returns a connection pool of a server, without a proxy, as root.
func mariadbConn(addr string) (*sql.DB, error) {
	cfg := mysql.NewConfig()
	cfg.Net, cfg.Addr, cfg.User, cfg.Logger = "tcp", addr, "root", &mysql.NopLogger{}
	c, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(c)
	db.SetMaxOpenConns(2)
	return db, nil
}

// withMariaDB calls do with a connection pool, and closes it afterwards.
func withMariaDB(addr string, do func(*sql.DB) error) error {
	db, err := mariadbConn(addr)
	if err != nil {
		return err
	}
	defer db.Close()
	return do(db)
}

// execAll executes statements until one fails.
func execAll(ctx context.Context, addr string, statements ...string) error {
	return withMariaDB(addr, func(db *sql.DB) error {
		for _, s := range statements {
			if _, err := db.ExecContext(ctx, s); err != nil {
				return fmt.Errorf("%s: %s: %w", addr, s, err)
			}
		}
		return nil
	})
}

// binlogPosition returns the number of transactions in a server's binary log, its own and those of
// other servers. Every transaction increases it by one.
func binlogPosition(ctx context.Context, addr string) (n uint64, err error) {
	err = withMariaDB(addr, func(db *sql.DB) error {
		n, err = gtid(ctx, db)
		return err
	})
	return n, err
}

// gtid returns the sequence number of the last GTID ("domain-server-number") in the binary log.
// Only domain 0 is in use.
func gtid(ctx context.Context, db *sql.DB) (uint64, error) {
	var pos string
	if err := db.QueryRowContext(ctx, "SELECT @@GLOBAL.gtid_binlog_pos").Scan(&pos); err != nil {
		return 0, fmt.Errorf("ask for the position: %w", err)
	}
	if pos == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(pos[strings.LastIndexByte(pos, '-')+1:], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("read position %q: %w", pos, err)
	}
	return n, nil
}

// userDatabases selects the databases that the user created, not those of every installation.
const userDatabases = `SELECT schema_name FROM information_schema.schemata
	WHERE schema_name NOT IN ('mysql', 'information_schema', 'performance_schema', 'sys')`

// strings1 returns the single column of a query's result.
func strings1(ctx context.Context, db *sql.DB, query string) ([]string, error) {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, rows.Err()
}

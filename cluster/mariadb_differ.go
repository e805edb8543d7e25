package cluster

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
)

// A rowDiffer compares the rows of a MariaDB primary with those of its replica.
type rowDiffer struct {
	primary, replica *sql.DB
	last             uint64 // position of the primary at the last comparison
}

func newRowDiffer(primary, replica string) (*rowDiffer, error) {
	p, err := mariadbConn(primary)
	if err != nil {
		return nil, err
	}
	r, err := mariadbConn(replica)
	if err != nil {
		p.Close()
		return nil, err
	}
	return &rowDiffer{primary: p, replica: r}, nil
}

func (d *rowDiffer) close() {
	_ = d.primary.Close() // an error has no consequence
	_ = d.replica.Close()
}

// ahead reports whether the primary has a row that the replica lacks. A row with a NULL does not
// count, because locks mark a free row that way.
func (d *rowDiffer) ahead(ctx context.Context) (bool, error) {
	n, err := gtid(ctx, d.primary)
	if err != nil || n == d.last {
		return false, err
	}
	d.last = n
	tables, err := strings1(ctx, d.primary, "SELECT CONCAT('`', table_schema, '`.`', table_name, '`') FROM information_schema.tables"+
		" WHERE table_type = 'BASE TABLE' AND table_schema IN ("+userDatabases+")")
	if err != nil {
		return false, fmt.Errorf("look at the tables: %w", err)
	}
	for _, t := range tables {
		here, err := rowsOf(ctx, d.primary, t)
		if err != nil {
			return false, err
		}
		there, err := rowsOf(ctx, d.replica, t)
		if err != nil && !strings.Contains(err.Error(), "doesn't exist") {
			return false, err
		}
		for row := range here {
			if !there[row] {
				return true, nil
			}
		}
	}
	return false, nil
}

// rowsOf returns the rows of a table that contain no NULL.
func rowsOf(ctx context.Context, db *sql.DB, table string) (map[string]bool, error) {
	rows, err := db.QueryContext(ctx, "SELECT * FROM "+table)
	if err != nil {
		return nil, fmt.Errorf("look at %s: %w", table, err)
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	all := map[string]bool{}
	values := make([]sql.NullString, len(names))
	into := make([]any, len(names))
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		var row strings.Builder
		whole := true
		for _, v := range values {
			whole = whole && v.Valid
			row.WriteString(v.String + "\x00")
		}
		if whole {
			all[row.String()] = true
		}
	}
	return all, rows.Err()
}
